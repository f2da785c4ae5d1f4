"""SQL expressions over one table with a column of every type: the material of test_expressions.py.

One line per group; expressions are separated by `;`. Columns: b boolean, ti byte, si short, i int, l long,
f float, d double, n decimal(10,2), m decimal(20,4), s string, t string, bin binary, da date, db date,
ts timestamp, tn timestamp_ntz, ai array<int>, asn array<string>, mp map<string,int>,
st struct<x:int,y:string>, sta array<struct<x:int,y:string>>, dt interval day to second,
ym interval year to month. All but `id` may be NULL.
"""

from __future__ import annotations

_GROUPS = {
    "logic": """
        b; not b; b and i > 1; b or i > 1; i = 1; i <=> 1; i <=> null; i <> 3; i < l; i <= l; i > 1.5;
        i >= d; b is null; s is not null; i in (1, 2, null); s in ('a', 'it''s'); i not in (1, 2);
        i between 1 and 3; i not between si and l; n between 1 and 2.5; b = true; not (b and not b);
        (b or i = 1) and (s = 'a' or b); i = 1 or i = 2 and b; da > date'2020-01-01';
        ts >= timestamp'2020-01-01 00:00:00'; ts > da; s = t; isnull(s); isnotnull(s); equal_null(s, t);
        ai = array(1, 2); st = struct(1, 'a'); b is true; b is not false; b is unknown;
        s is distinct from t; bin = X'6162'; d = double('NaN'); 0.0D = -0.0D;
        (i, s) in ((1, 'a'), (2, 'b'))""",
    "arithmetic": """
        i + 1; i + l; i - si; i * 2; l * i; i / 2; i % 3; i div 2; -i; +i; - - i; -(i + 1); ti + 1Y;
        si + ti; f + d; f * 2; d / 3; n + 1; n + 1.5; n * n; n / 3; n % 0.7; n - m; m * 2; n div 2; -n;
        abs(i); abs(n); abs(d); (i + 1) * 2; i + 1 * 2; i - (1 - 2); i - 1 - 2; 10 / (i * i + 1);
        pmod(i, 3); mod(i, 3); i & 3; i | 4; i ^ 1; ~i; l << 2; l >> 1; shiftrightunsigned(l, 1);
        bit_count(i); getbit(l, 1); 1 + 1L; 1.10 + 2; try_add(i, 2147483647); try_subtract(i, 1);
        try_multiply(l, l); try_divide(i, 0); try_mod(i, 0); i * 1.0; i + 1e0;
        cast(i as decimal(5,0)) * n; n * 100 / 3; 1Y + 1S; 2147483647 + i * 0L; 0.1BD + n;
        round(n * 1.1, 1); hypot(i, d); width_bucket(d, 0.0, 10.0, 4)""",
    "math": """
        ceil(d); floor(d); ceil(n); floor(n, 1); ceil(n, 1); round(d); round(d, 1); round(n, 1);
        bround(n, 1); sqrt(abs(d)); cbrt(d); exp(d / 100); expm1(f / 100); ln(abs(d) + 1);
        log10(abs(d) + 1); log2(abs(d) + 1); log1p(abs(d)); log(2, abs(d) + 1); pow(d, 2); power(i, 2);
        signum(d); sign(n); sin(d); cos(d); tan(d); asin(0.5); acos(0.5); atan(d); atan2(d, 2);
        sinh(f / 10); cosh(f / 10); tanh(d); asinh(d); acosh(2.0); atanh(0.5); cot(1.0); csc(1.0);
        sec(1.0); degrees(d); radians(d); e(); pi(); factorial(5); bin(i); hex(i); hex(s);
        unhex('616263'); conv('100', 2, 10); greatest(i, si, 2); least(i, l); rint(d); nanvl(d, 0.0);
        isnan(d); positive(i); negative(d)""",
    "conditions": """
        if(b, i, l); if(i > 1, s, 'none'); case when b then 1 when i > 2 then 2 else 3 end;
        case when b then 'x' end; case i when 1 then 'one' when 2 then 'two' else 'more' end;
        coalesce(s, t, 'z'); nvl(i, 0); nvl(n, 0); nvl2(s, 1, 2); ifnull(s, 'q'); nullif(s, 'a');
        nullif(i, 1); nullifzero(i); zeroifnull(i); decode(i, 1, 'a', 2, 'b', 'c');
        case when i is null then null else i + 1 end; case when b then i else n end; if(b, null, 1);
        coalesce(null, i); assert_true(id > 0)""",
    "strings": """
        s || t; concat(s, '-', t); concat(s, i); concat_ws('-', s, t, 'x'); upper(s); lower(s); ucase(s);
        lcase(s); initcap(s); length(s); char_length(s); bit_length(s); octet_length(s); trim(s);
        ltrim(s); rtrim(s); btrim(s); btrim(s, 'a'); trim(both 'a' from s); trim(leading 'a' from s);
        trim(trailing 'a' from s); substring(s, 1, 2); substr(s, 2); substring(s from 1 for 2);
        left(s, 2); right(s, 2); lpad(s, 5, '*'); rpad(s, 5, '*'); lpad(bin, 5, X'00'); repeat(s, 2);
        reverse(s); replace(s, 'a', 'b'); translate(s, 'ab', 'xy'); instr(s, 'a'); locate('a', s);
        locate('a', s, 2); position('a' in s); split(s, ','); split(s, ',', 2);
        split_part('a,b', ',', 2); substring_index(s, ',', 1); ascii(s); chr(65); char(66); space(2);
        soundex(s); levenshtein(s, t); levenshtein(s, t, 2); format_string('%s-%d', s, i);
        printf('%s', t); format_number(d, 2); find_in_set('a', 'x,a'); elt(1, s, t);
        overlay(s placing 'x' from 1); overlay(s, 'x', 1, 2); startswith(s, 'a'); endswith(s, 'a');
        contains(s, 'a'); startswith(bin, X'61'); s like 'a%'; s like '%\\\\_%';
        s like 'a!%%' escape '!'; s not like 'a%'; s ilike 'A%'; s like all ('a%', '%b');
        s like any ('a%', '%b'); s not like all ('a%', 'b%'); s not like any ('a%', 'b%'); s rlike '^a';
        regexp_like(s, 'b$'); regexp_extract(s, '(a)(b)?', 1); regexp_extract_all(s, '(a)', 1);
        regexp_replace(s, 'a', 'b'); regexp_replace(s, 'a', 'b', 1); regexp_count(s, 'a');
        regexp_instr(s, 'a'); regexp_substr(s, 'a'); mask(s); mask(s, 'X', 'x');
        luhn_check('79927398713'); sentences(s); encode(s, 'UTF-8'); decode(bin, 'UTF-8'); base64(bin);
        unbase64('YWI='); to_char(n, '999.99'); to_number('12', '99'); try_to_number('x', '99');
        url_encode(s); url_decode('a%20b'); quote(s); parse_url('http://x.org/p?q=1', 'HOST');
        is_valid_utf8(s); s = 'quote '' and \\\\ backslash'; 'tab\\there' || s; "double" || s;
        collate(s, 'UTF8_LCASE') = 'A'; collation(s)""",
    "dates": """
        year(da); month(da); day(da); dayofweek(da); dayofyear(da); weekday(da); weekofyear(da);
        quarter(da); hour(ts); minute(ts); second(ts); hour(tn); dayname(da); monthname(da);
        extract(year from da); extract(week from da); extract(second from ts); extract(dow from da);
        extract(day from dt); extract(hour from dt); extract(month from ym); date_part('month', ts);
        datepart('yearofweek', da); da + 1; da - 1; da - db; date_add(da, i); date_sub(da, 2);
        datediff(da, db); date_diff(da, db); add_months(da, 1); months_between(da, db);
        months_between(ts, ts, false); last_day(da); next_day(da, 'MON'); trunc(da, 'MM');
        date_trunc('hour', ts); to_date(s_date); to_date('2020', 'yyyy'); try_to_date('x');
        to_timestamp(s_date); to_timestamp('2020-01-01', 'yyyy-MM-dd'); to_timestamp_ntz(s_date);
        to_timestamp_ltz(s_date); try_to_timestamp('x'); unix_timestamp(ts); to_unix_timestamp(ts);
        from_unixtime(l); unix_date(da); date_from_unix_date(i); unix_seconds(ts); unix_millis(ts);
        unix_micros(ts); timestamp_seconds(i); timestamp_millis(l); timestamp_micros(l);
        date_format(ts, 'yyyy-MM'); make_date(2020, 1, 2); make_timestamp(2020, 1, 2, 3, 4, 5.5);
        make_timestamp_ntz(2020, 1, 2, 3, 4, 5); make_dt_interval(1, 2);
        cast(make_ym_interval(1, 2) as string); from_utc_timestamp(ts, 'Asia/Tokyo');
        to_utc_timestamp(ts, 'Asia/Tokyo'); convert_timezone('UTC', 'Asia/Tokyo', tn);
        ts + interval 1 hour; ts - interval 90 minutes; da + interval 1 month; da - interval 1 year;
        ts + ym; ts - ts; tn - tn; ts - da; tn + dt; dt * 2; dt / 2; -dt; dt + dt;
        cast(ym * 2 as string); cast(ym + ym as string); ts > '2020-01-01'; da = '2020-01-31';
        timestampadd(HOUR, 3, ts); timestampdiff(DAY, ts, timestamp'2021-01-01 00:00:00');
        dateadd(MONTH, 1, da); datediff(DAY, da, db); current_timezone(); cast(da as timestamp);
        ts + interval '1 02:03:04.5' day to second; date'9999-12-31' > da;
        timestamp'2020-06-01 00:00:00 America/New_York' > ts; interval '-1' day + da""",
    "casts": """
        cast(i as long); cast(i as string); cast(i as double); cast(l as decimal(20,0));
        cast(n as double); cast(n as int); cast(d as decimal(12,3)); cast(s_int as int);
        try_cast(s as int); try_cast(s as date); cast(s_date as date); cast(b as int);
        cast(i as boolean); cast(da as string); cast(ts as date); cast(ts as string); cast(ts as long);
        cast(ts as double); cast(i as float); cast(s as binary); cast(bin as string);
        cast(ai as array<bigint>); cast(st as struct<p: bigint, q: string>);
        cast(mp as map<string, bigint>); cast(null as int); cast(dt as string); cast(ym as string);
        i :: string; int(s_int); string(i); double(i); cast(array() as array<int>);
        cast('2020-01-01 10:00:00' as timestamp_ntz); cast(tn as timestamp); cast(n as decimal(12,4));
        cast('1' as tinyint); cast(cast(d as float) as double); try_cast('999' as tinyint)""",
    "literals": """
        1; -1; 1L; 1S; 1Y; -128Y; -2147483648; 9223372036854775807; 1.5; -1.50; 0.00BD; 1.5D; 1.5F; 1e3;
        1e-10; -0.0D; double('NaN'); double('Infinity'); float('-Infinity'); 3.4E38F; 'it''s'; 'a\\\\b';
        'tab\\tnew\\nline'; '\\u00e9\\U0001F600'; ''; true; false; null; X''; X'00FF'; date'0001-01-01';
        date'9999-12-31'; timestamp'2020-01-01 01:02:03.123456'; timestamp'1900-01-01 00:00:00';
        timestamp_ntz'2020-01-01 00:00:00.5'; interval '1' day; interval '1 02:03:04.5' day to second;
        interval '-3' hour; array(1, 2); array(); array('a', null); map('k', 1); map();
        named_struct('x', 1, 'y y', 'b'); struct(1, 'a'); array(array(1L));
        99999999999999999999999999999999999999BD; 0.00000000000000000001BD;
        cast(interval '2-3' year to month as string); array(1.50, 2); array(map('a', X'01')); r'raw\\d'""",
    "collections": """
        ai[0]; ai[i * 0]; get(ai, 9); element_at(ai, 1); try_element_at(ai, 9); mp['k'];
        element_at(mp, 'k'); st.x; st.y; sta.x; get(sta, 0).y; if(size(sta) > 0, sta[0].y, null);
        size(ai); cardinality(mp); array_size(ai); array(i, si); array_contains(ai, 2);
        array_distinct(ai); array_union(ai, array(9)); array_intersect(ai, array(1));
        array_except(ai, array(1)); array_join(asn, ','); array_join(asn, ',', '?'); array_max(ai);
        array_min(ai); array_position(ai, 1); array_remove(ai, 1); array_repeat(s, 2); array_sort(ai);
        sort_array(ai); sort_array(ai, false); arrays_overlap(ai, array(1)); arrays_zip(ai, asn);
        flatten(array(ai, ai)); slice(ai, 1, 1); sequence(1, 3); sequence(da, da + 2, interval 1 day);
        reverse(ai); concat(ai, array(1)); array_append(ai, 1); array_prepend(ai, 1);
        array_insert(ai, 1, 9); array_compact(ai); map_keys(mp); map_values(mp); map_entries(mp);
        map_concat(mp, map('new', 1)); map_from_arrays(array('a'), array(1));
        map_from_entries(array(struct('a', 1))); map_contains_key(mp, 'k'); str_to_map('a:1,b:2');
        named_struct('p', i, 'q', s); struct(i, s); struct(i as p).p; transform(ai, x -> x + 1);
        transform(ai, (x, j) -> x * j); filter(ai, x -> x > 1); filter(ai, (x, j) -> j > 0);
        exists(ai, x -> x = i); forall(ai, x -> x > 0); aggregate(ai, 0L, (a, x) -> a + x);
        aggregate(ai, 0, (a, x) -> a + 1, a -> a * 10); reduce(ai, 0, (a, x) -> a + 1);
        zip_with(ai, ai, (x, y) -> x + y); map_filter(mp, (k, v) -> v > 1);
        transform_keys(mp, (k, v) -> upper(k)); transform_values(mp, (k, v) -> v + i);
        map_zip_with(mp, mp, (k, v, w) -> v + w);
        array_sort(ai, (x, y) -> case when x < y then 1 else -1 end);
        transform(ai, x -> exists(ai, y -> y = x)); transform(sta, e -> e.x);
        filter(ai, x -> x is not null)""",
    "formats": """
        to_json(st); to_json(st, map('ignoreNullFields', 'false')); from_json('{"a":1}', 'a int');
        from_json('[1]', 'array<int>');
        from_json('{"a":"01/02/2020"}', 'a date', map('dateFormat', 'dd/MM/yyyy'));
        get_json_object('{"a":1}', '$.a'); json_array_length('[1,2]'); json_object_keys('{"a":1}');
        schema_of_json('{"a":1}'); to_csv(st); from_csv('1,a', 'x int, y string');
        from_csv('1;a', 'x int, y string', map('sep', ';')); schema_of_csv('1,a'); md5(s); sha1(s);
        sha2(s, 256); crc32(s); hash(s, i); xxhash64(i, s); typeof(i); xpath_string('<a>b</a>', 'a');
        to_binary('ff', 'hex'); is_variant_null(parse_json('null'));
        variant_get(parse_json('{"a":1}'), '$.a', 'int'); schema_of_variant(parse_json('1')); version();
        current_database(); monotonically_increasing_id() >= 0; rand() < 2; length(uuid());
        current_date() > da; now() is null; spark_partition_id() >= 0; input_file_name() is null;
        randn(1) is null""",
}

AGGREGATES = """
    count(*); count(1); count(i); count(distinct i); count(i, s); count(distinct i, s); sum(i); sum(l);
    sum(n); sum(d); sum(distinct i); avg(i); avg(n); mean(d); min(i); max(s); min(da); max(ts);
    sum(i) filter (where b); count(*) filter (where i > 1); min_by(s, id); max_by(s, id);
    max_by(s, id, 2); count_if(b); bool_and(b); bool_or(b); every(b); any(b); some(b); stddev(d);
    stddev_pop(i); stddev_samp(d); var_pop(d); var_samp(i); variance(i); corr(i, d); covar_pop(i, d);
    covar_samp(i, d); skewness(i); kurtosis(i); first(id); last(id); first_value(s);
    first(s) ignore nulls; last(s, true); any_value(b) ignore nulls; sort_array(collect_list(i));
    sort_array(collect_set(s)); array_agg(id); percentile(i, 0.5); percentile(i, array(0.25, 0.75));
    percentile_approx(i, 0.5); median(i); percentile_cont(0.5) within group (order by i);
    percentile_disc(0.5) within group (order by i desc); mode(b, true);
    mode() within group (order by i desc); bit_and(i); bit_or(i); bit_xor(i); approx_count_distinct(i);
    regr_count(i, d); regr_slope(i, d); regr_r2(i, d); try_sum(i); try_avg(i);
    listagg(s, ',') within group (order by id); string_agg(s) within group (order by id desc);
    histogram_numeric(i, 3); sum(i + 1); sum(case when b then 1 else 0 end)"""

WINDOWS = """
    row_number() over (order by id); rank() over (partition by b order by i);
    dense_rank() over (order by i desc); percent_rank() over (order by i); cume_dist() over (order by i);
    ntile(2) over (order by id); lag(i) over (order by id); lag(i, 2, -1) over (order by id);
    lead(s, 1) over (partition by b order by id); lag(i) ignore nulls over (order by id);
    first_value(i) over (order by id); nth_value(i, 2) over (order by id);
    last_value(i) ignore nulls over (order by id rows between unbounded preceding and unbounded following);
    sum(i) over (); sum(i) over (partition by b); sum(i) over (order by id);
    avg(d) over (order by id rows 1 preceding);
    sum(l) over (order by id rows between 1 preceding and 1 following);
    sum(l) over (order by id rows between current row and unbounded following);
    count(*) over (order by i range between 1 preceding and 1 following);
    sum(i) over (order by da range between interval 30 days preceding and current row);
    max(i) over (order by ts desc nulls first
        range between unbounded preceding and interval 1 hour following);
    count(i) filter (where b) over (partition by s order by id nulls last);
    sum(n) over (partition by b, s order by id, i desc nulls last);
    sum(l) over (order by id rows between 3 preceding and 1 preceding);
    sum(i) over (order by l range between 10 preceding and 5 preceding)"""

GENERATORS = """
    explode(ai); explode_outer(ai); posexplode(asn); explode(mp); inline(sta); stack(2, i, s, i + 1, t);
    json_tuple('{"a":1,"b":2}', 'a', 'b'); posexplode_outer(mp)"""


def split(text: str) -> list[str]:
    """The expressions of a group: split at `;`, except inside quotes."""
    pieces, current, quote = [], "", ""
    for character in text:
        if character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        if character == ";" and not quote:
            pieces.append(current)
            current = ""
        else:
            current += character
    return [" ".join(piece.split()) for piece in (*pieces, current) if piece.strip()]


GROUPS = {name: split(text) for name, text in _GROUPS.items()}
