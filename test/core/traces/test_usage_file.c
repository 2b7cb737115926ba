/*
 * test_usage_file.c
 *	  The files of monitors: each format, times, what is not known, what cannot be read.
 *
 * Real output of sadf is read in test/t/103_jobs_import.pl, beside a reader of its own.
 */
#include "unit.h"

#include "core/traces/usage_file.h"

#include <inttypes.h>

/* Microseconds after 2000-01-01 of 2026-01-31 00:00 UTC, worked out by date(1): 1769817600 s. */
#define DAY (INT64_C(1769817600) - INT64_C(946684800))

/* The caller's zone is an hour east of UTC. */
static int64_t
local_time(void *arg, int64_t time)
{
	(void) arg;
	return time - INT64_C(3600) * 1000000;
}

/* Periods in seconds after DAY. */
typedef struct Periods
{
	char		text[2000];
	size_t		size;
} Periods;

static bool
take_period(void *arg, int64_t start, int64_t end, double usage)
{
	Periods    *periods = arg;

	if (periods->size < sizeof(periods->text) - 100)
		periods->size += (size_t) snprintf(periods->text + periods->size, 100, "%.10g-%.10g=%.10g ",
										   (double) (start - DAY * 1000000) / 1e6,
										   (double) (end - DAY * 1000000) / 1e6, usage);
	return true;
}

static FgSpan
word(const char *text)
{
	return (FgSpan) {text, text != NULL ? strlen(text) : 0};
}

static FgUsageFileOptions
options_of(Periods *periods, const char *column, const char *series, double scale)
{
	return (FgUsageFileOptions) {
		.column = word(column),
		.series = word(series),
		.scale = scale,
		.local = local_time,
		.take = take_period,
		.arg = periods
	};
}

static void
chosen(const char *text, const char *column, const char *series, double scale,
	   const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Periods		periods = {.size = 0};
	FgUsageFileOptions options = options_of(&periods, column, series, scale);

	if (!CHECK(fg_usage_file_read(&ctx, text, strlen(text), &options)))
		printf("    line %u column %u: %s\n", (unsigned) ctx.error.line,
			   (unsigned) ctx.error.column, ctx.error.reason);
	CHECK_TEXT(periods.text, periods.size, expected);
	CHECK_COUNT(memory.blocks, 0);
}

static void
read_as(const char *text, const char *expected)
{
	chosen(text, NULL, NULL, 1, expected);
}

static void
refused(const char *text, const char *column, const char *series, FgErrorCode code, uint64_t line,
		uint64_t place)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Periods		periods = {.size = 0};
	FgUsageFileOptions options = options_of(&periods, column, series, 1);

	if (CHECK_ERROR(fg_usage_file_read(&ctx, text, strlen(text), &options), &ctx, code), true)
	{
		CHECK_COUNT(ctx.error.line, line);
		CHECK_COUNT(ctx.error.column, place);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- lines of time and value --------------------------------------------------------- */

static void
test_lines(void)
{
	unit_case("lines of time and value");
	read_as("1769817600,1\n1769817610,2.5\n1769817615,0\n", "0-0=1 0-10=2.5 10-15=0 ");
	read_as("time,value\r\n1769817600,1\r\n\r\n1769817610,2.5", "0-0=1 0-10=2.5 ");
	read_as("\xEF\xBB\xBF\"Time\";\"{host=\"\"a\"\"; x}\"\n2026-01-31T00:00:00Z;1e1\n", "0-0=10 ");
	read_as("value\ttime\n7\t1769817601\n8\t1769817602\n", "1-1=7 1-2=8 ");
	read_as("# a comment\n1769817600,1\n# another\n1769817601,2\n", "0-0=1 0-1=2 ");
	unit_case("columns chosen");
	chosen("time,a,b\n1769817600,1,10\n1769817601,2,20\n", "b", NULL, 1, "0-0=10 0-1=20 ");
	chosen("time,\"x \"\"y\"\"\",b\n1769817600,1,10\n", "x \"y\"", NULL, 0.5, "0-0=0.5 ");
	unit_case("what is not known leaves a gap");
	read_as("1769817600,1\n1769817610,\n1769817620,NaN\n1769817630,4\n1769817640,null\n",
			"0-0=1 20-30=4 ");
}

static void
test_times(void)
{
	unit_case("times");
	read_as("2026-01-31 00:00:00+00,1\n2026-01-31 01:00:02+0100,1\n2026-01-30T19:00:03.25-05:00,1\n"
			"2026-01-31 00:00:04 UTC,1\n2026-01-31 00:00:05 GMT,1\n2026-01-31 00:01z,1\n",
			"0-0=1 0-2=1 2-3.25=1 3.25-4=1 4-5=1 5-60=1 ");
	read_as("2026-01-31 01:00:00,1\n2026-01-31 01:00:01.5,1\n", "0-0=1 0-1.5=1 ");
	read_as("1769817600123,1\n", "0.123-0.123=1 ");
	read_as("1769817600123456,1\n", "0.123456-0.123456=1 ");
	read_as("1769817600.25,1\n", "0.25-0.25=1 ");
	read_as("2024-02-29 00:00:00Z,1\n2026-01-31 00:00:00Z,2\n", "-60652800--60652800=1 -60652800-0=2 ");
	unit_case("what is no time");
	refused("1769817600,1\n2026-02-29 00:00:00Z,1\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 1);
	refused("1769817600,1\n2026-13-01 00:00:00Z,1\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 1);
	refused("1769817600,1\n2026-01-31 24:00:00Z,1\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 1);
	refused("1769817600,1\n2026-01-31 00:00:00 CET,1\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 1);
	refused("1769817600,1\n1e400,1\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 1);
	refused("value,time\n1,-5\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 3);
	unit_case("times that do not increase");
	refused("1769817600,1\n1769817600,2\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 12);
	refused("1769817600,1\n1769817599,2\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 12);
}

static void
test_refused_lines(void)
{
	unit_case("lines that cannot be read");
	refused("", NULL, NULL, FG_ERROR_SYNTAX, 0, 0);
	refused("\n\n", NULL, NULL, FG_ERROR_SYNTAX, 0, 0);
	refused("time,value\n", NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("hello", NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("1769817600,1\n1769817601,2x\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 12);
	refused("1769817600,1\n1769817601\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 0);
	refused("1769817600,1\n1769817601,-0.5\n", NULL, NULL, FG_ERROR_RANGE, 2, 12);
	refused("time,a,b\n1769817600,1,2\n", NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("time,a,b\n1769817600,1,2\n", "c", NULL, FG_ERROR_ARGUMENT, 0, 0);
}

/* A first row that cannot be read is no header. */
static void
test_first_rows(void)
{
	unit_case("first rows that are no header");
	refused("2026-02-30 02:00:01,100\n2026-03-01 02:00:02,2\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
	refused("-5,1\n1769817600,1\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
	refused("2026-01-05 24:00:00,1\n1769817600,1\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
	refused("# a comment\n2026-01-05 02:00:00 CET,100\n1769817600,1\n", NULL, NULL, FG_ERROR_SYNTAX,
			2, 1);
	refused("Monday,100\n1769817600,1\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
	refused("\"2026-02-30 02:00:01\",100\n1769817600,1\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
}

/* Columns beside the time and the value say of which series a row is. */
static void
test_table_series(void)
{
	static const char one[] = "timestamp,instance,value\n1769817601,a,1\n1769817602,b,50\n"
		"1769817603,a,1\n";
	static const char two[] = "time,host,cpu,busy\n1769817601,a,0,1\n1769817601,a,1,2\n"
		"1769817601,\"b,\"\"c\",0,3\n1769817602,a,1,4\n1769817602,\"b,\"\"c\",0,5\n";

	unit_case("series of a table");
	chosen(one, "value", "a", 1, "1-1=1 1-3=1 ");
	chosen(one, "value", "b", 1, "2-2=50 ");
	chosen(one, "value", "instance=a", 1, "1-1=1 1-3=1 ");
	chosen(two, "busy", "host=a,cpu=1", 1, "1-1=2 1-2=4 ");
	chosen(two, "busy", "cpu=0,host=b,\"c", 1, "1-1=3 1-2=5 ");
	chosen("time,x=y,v\n1769817601,p=q,1\n", "v", "p=q", 1, "1-1=1 ");
	chosen("time,user,system\n1769817601,1,7\n1769817602,2,8\n", "user", NULL, 1, "1-1=1 1-2=2 ");
	unit_case("series of a table that cannot be read");
	refused(one, "value", "c", FG_ERROR_ARGUMENT, 0, 0);
	refused(one, "value", NULL, FG_ERROR_ARGUMENT, 3, 12);
	refused("time,value\n1769817600,1\n", NULL, "nosuch", FG_ERROR_ARGUMENT, 1, 0);
	refused("1769817600,1\n", NULL, "nosuch", FG_ERROR_ARGUMENT, 1, 0);
	refused("1769817600,1\n", "value", NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("1769817600,1,2\n", NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused(two, "busy", "a", FG_ERROR_ARGUMENT, 1, 0);
	refused(two, "busy", "host=a", FG_ERROR_SYNTAX, 3, 16);
	refused(two, "busy", "host=a,cpu=2", FG_ERROR_ARGUMENT, 0, 0);
	refused("time,host,value\n1769817601,a,1\n1769817602\n", "value", "a", FG_ERROR_SYNTAX, 3, 0);
}

/* --- sadf ------------------------------------------------------------------------------- */

#define CPU "# hostname;interval;timestamp;CPU;%user;%idle\n"
#define NET "# hostname;interval;timestamp;IFACE;rxkB/s\n"

static void
test_sadf(void)
{
	static const char cpu[] = CPU "h;10;2026-01-31 00:00:10 UTC;-1;5;80\n"
		"h;10;2026-01-31 00:00:10 UTC;0;5;60\nh;-1;2026-01-31 00:00:15 UTC;LINUX-RESTART (2 CPU)\n"
		"h;8;2026-01-31 00:00:23 UTC;-1;5;90.5\nh;8;2026-01-31 00:00:23 UTC;0;7;85\n"
		NET "h;10;2026-01-31 00:00:10 UTC;lo;3\nh;10;2026-01-31 00:00:10 UTC;eth0;4\n"
		"h;10;2026-01-31 00:00:19 UTC;lo;5\nh;10;2026-01-31 00:00:19 UTC;eth0;6\n";

	unit_case("sadf: all processors, one of them, another column");
	read_as(cpu, "0-10=20 15-23=9.5 ");
	chosen(cpu, NULL, "0", 0.01, "0-10=0.4 15-23=0.15 ");
	chosen(cpu, "%user", "0", 1, "0-10=5 15-23=7 ");
	unit_case("sadf: a section further down; seconds that were rounded");
	chosen(cpu, "rxkB/s", "eth0", 1, "0-10=4 10-19=6 ");
	refused(cpu, "rxkB/s", NULL, FG_ERROR_ARGUMENT, 9, 30);
	refused(cpu, "rxkB/s", "eth1", FG_ERROR_ARGUMENT, 0, 0);
	refused(cpu, "txkB/s", NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("# hostname;interval;timestamp;%memused\nh;1;1769817601;50\n", NULL, "0", FG_ERROR_ARGUMENT, 1, 0);
	read_as("# hostname;interval;timestamp;%memused\nh;1;1769817601;50\n", "0-1=50 ");
	refused(CPU "h;10x;2026-01-31 00:00:10 UTC;-1;5;80\n", NULL, NULL, FG_ERROR_SYNTAX, 2, 3);
}

/* --- sar ---------------------------------------------------------------------------------- */

#define BANNER "Linux 6.1.0 (db1) \t01/30/26 \t_x86_64_\t(2 CPU)\n\n"

static void
test_sar(void)
{
	/* as sysstat 12.6 prints it; 00:00 UTC is 01:00 of the caller's zone */
	static const char half[] = "Linux 6.1.0-18 (db1) \t01/30/2026 \t_x86_64_\t(2 CPU)\n\n"
		"11:50:00 PM     CPU     %user     %idle\n11:55:00 PM     all      1.00     98.00\n"
		"11:55:00 PM       0      1.00     97.00\n\n11:55:00 PM     CPU     %user     %idle\n"
		"12:05:00 AM     all      2.00     96.00\n12:05:00 AM       0      9.00     91.00\n\n"
		"12:10:00 AM  LINUX RESTART\t(2 CPU)\n\n12:55:00 AM     CPU     %user     %idle\n"
		"01:00:00 AM     all      2.00     90.00\n01:00:00 AM       0      2.00     80.00\n"
		"Average:        all      1.67     94.67\nAverage:          0      1.67     94.67\n\n"
		"11:50:00 PM kbmemfree  %memused\n12:05:00 AM    123456     41.50\n"
		"Average:       123456     41.50\n";
	static const char disks[] = BANNER "23:59:58          tps     rkB/s       DEV\n"
		"00:00:01         1.00      2.00       sda\n00:00:01         3.00      4.00       sdb\n"
		"00:00:02         5.00      6.00       sda\n00:00:02         7.00      8.00       sdb\n";

	unit_case("sar: twelve hours, over midnight, a start of the system");
	read_as(half, "-4200--3900=2 -3900--3300=4 -300-0=10 ");
	chosen(half, "%user", "0", 1, "-4200--3900=1 -3900--3300=9 -300-0=2 ");
	chosen(half, "%memused", NULL, 1, "-4200--3300=41.5 ");
	unit_case("sar: the series last");
	chosen(disks, "rkB/s", "sdb", 1, "-3602--3599=4 -3599--3598=8 ");
	unit_case("sar: what cannot be read");
	refused(half, "%nosuch", NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused(disks, "tps", NULL, FG_ERROR_ARGUMENT, 5, 0);
	refused(disks, "tps", "sdc", FG_ERROR_ARGUMENT, 0, 0);
	refused("Linux 6.1.0 (db1) \t30.13.2026 \t_x86_64_\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 0);
	refused(BANNER "00:00:00  CPU  %idle\n00:00:01  all  9,5\n", NULL, NULL, FG_ERROR_SYNTAX, 4, 0);
	refused(BANNER "00:00:00  CPU  %idle\nMittel:  all  9.5\n", NULL, NULL, FG_ERROR_SYNTAX, 4, 0);
	refused("Linux 6.1\n00:00:00  CPU  %idle\n", NULL, NULL, FG_ERROR_SYNTAX, 1, 0);
}

/* --- JSON of sadf ------------------------------------------------------------------------- */

#define MOMENTS(moments) "{\"sysstat\": {\"hosts\": [\n{\"nodename\": \"db1\", \"statistics\": [\n" moments \
"\n], \"restarts\": [{\"boot\": {\"utc\": 1}}]}]}}"
#define STAMP(time, utc, interval) "\"timestamp\": {\"date\": \"2026-01-31\", \"time\": \"" time \
"\", \"utc\": " utc ", \"interval\": " interval "}"

static void
test_sadf_json(void)
{
	static const char text[] = MOMENTS("{" STAMP("00:00:10", "1", "10") ", \"cpu-load\": [{\"cpu\": \"all\", "
		"\"user\": 5, \"idle\": 80.5}, {\"cpu\": \"0\", \"user\": 6, \"idle\": 60}],\n\"memory\": {\"memused\": 7, "
		"\"note\": \"x\", \"deep\": {\"level\": [1, [2], {\"memused\": 0}]}}, \"io\": {\"tps\": 1, \"io-reads\": "
		"{\"rtps\": 2}}, \"network\": {\"net-dev\": [{\"iface\": \"lo\", \"rx\": 3}, {\"iface\": \"eth0\", "
		"\"rx\": 4}], \"net-edev\": [{\"iface\": \"eth0\", \"rx\": 5}]}},\n{" STAMP("00:00:18", "1", "8")
		", \"disk\": [{\"disk-device\": \"sda\", \"tps\": 9}], \"cpu-load\": [{\"user\": 1, \"idle\": 90, \"cpu\": "
		"\"all\"}]}");

	unit_case("JSON of sadf: all processors, one of them, an object, objects in objects");
	read_as(text, "0-10=19.5 10-18=10 ");
	chosen(text, NULL, "0", 0.01, "0-10=0.4 ");
	chosen(text, "user", "all", 1, "0-10=5 10-18=1 ");
	chosen(text, "user", NULL, 1, "0-10=5 10-18=1 ");
	chosen(text, "memory.memused", NULL, 1, "0-10=7 ");
	chosen(text, "rtps", NULL, 1, "0-10=2 ");
	chosen(text, "io.tps", NULL, 1, "0-10=1 ");
	chosen(text, "tps", NULL, 1, "0-10=1 10-18=9 ");
	chosen(text, "disk.tps", NULL, 1, "10-18=9 ");
	chosen(text, "net-dev.rx", "eth0", 1, "0-10=4 ");
	chosen(text, "net-edev.rx", NULL, 1, "0-10=5 ");
	unit_case("JSON of sadf: times of the zone, no interval");
	read_as(MOMENTS("{" STAMP("01:00:10", "0", "10") ", \"cpu-load\": [{\"cpu\": \"all\", \"idle\": 80}]}"), "0-10=20 ");
	read_as(MOMENTS("{\"cpu-load-all\": [{\"cpu\": \"all\", \"idle\": 80}], \"timestamp\": {\"date\": \"2026-01-31\", "
			"\"time\": \"00:00:10\", \"utc\": 1}}"), "10-10=20 ");
	unit_case("JSON of sadf: what cannot be read");
	refused(text, "net-dev.rx", NULL, FG_ERROR_ARGUMENT, 4, 248);
	refused(text, "network.rx", "eth0", FG_ERROR_ARGUMENT, 4, 248);
	refused(text, "rx", "eth1", FG_ERROR_ARGUMENT, 0, 0);
	refused(text, "memused", "eth0", FG_ERROR_ARGUMENT, 0, 0);
	refused(text, "level", NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused(text, "cpu-load.", NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("{\"sysstat\": {\"hosts\": []}}", NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("{\"sysstat\": []}", NULL, NULL, FG_ERROR_SYNTAX, 1, 13);
	refused(MOMENTS("{\"memory\": {}}"), NULL, NULL, FG_ERROR_SYNTAX, 3, 14);
	refused(MOMENTS("{" STAMP("00:00:61", "1", "1") "}"), NULL, NULL, FG_ERROR_SYNTAX, 3, 82);
	refused(MOMENTS("{" STAMP("00:00:10 and more", "1", "1") "}"), NULL, NULL, FG_ERROR_SYNTAX, 3, 64);
	refused(MOMENTS("{" STAMP("00:00:10", "1", "-1") "}"), NULL, NULL, FG_ERROR_RANGE, 3, 81);
	refused(MOMENTS("{" STAMP("00:00:10", "1", "1") ", \"m\": {\"v\": -1}}"), "v", NULL, FG_ERROR_RANGE, 3, 96);
	refused(MOMENTS("{" STAMP("00:00:10", "1", "1") ", \"m\": {\"v\": 1}},\n{" STAMP("00:00:10", "1", "1")
			", \"m\": {\"v\": 1}}"), "v", NULL, FG_ERROR_SYNTAX, 4, 95);
}

/* --- Prometheus --------------------------------------------------------------------------- */

#define MATRIX(result) "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" result "]}}"

static void
test_prometheus(void)
{
	static const char two[] = MATRIX("{\"metric\":{\"__name__\":\"up\",\"instance\":\"a:9100\"},"
		"\"values\":[[1769817600.781,\"1\"],[1769817610,\"NaN\"],[1769817620,\"0.5\"]]},"
		"{\"metric\":{\"instance\":\"b:9100\"},\"values\":[[1769817600,\"3\"]]}");

	unit_case("Prometheus");
	chosen(two, NULL, "instance=a:9100", 2, "0.781-0.781=2 10-20=1 ");
	chosen(two, NULL, "instance=b:9100", 1, "0-0=3 ");
	chosen(two, NULL, "__name__=up", 1, "0.781-0.781=1 10-20=0.5 ");
	chosen(two, NULL, "__name__=up,instance=a:9100", 1, "0.781-0.781=1 10-20=0.5 ");
	read_as(" " MATRIX("{\"metric\":{},\"values\":[[1769817600,\"3\"]]}"), "0-0=3 ");
	unit_case("Prometheus: what cannot be read");
	refused(two, NULL, NULL, FG_ERROR_ARGUMENT, 1, 221);
	refused(two, NULL, "instance", FG_ERROR_ARGUMENT, 0, 0);
	refused(two, NULL, "instance=c", FG_ERROR_ARGUMENT, 0, 0);
	refused(two, NULL, "__name__=up,instance=b:9100", FG_ERROR_ARGUMENT, 0, 0);
	refused(two, "value", "instance=a:9100", FG_ERROR_ARGUMENT, 0, 0);
	refused(two, NULL, "=a", FG_ERROR_ARGUMENT, 0, 0);
	refused(MATRIX(""), NULL, NULL, FG_ERROR_ARGUMENT, 0, 0);
	refused("{\"status\":\"error\",\"error\":\"parse error\"}", NULL, NULL, FG_ERROR_SYNTAX, 1, 39);
	refused("{\"status\":\"success\",\n\"data\":{\"resultType\":\"vector\"}}", NULL, NULL,
			FG_ERROR_SYNTAX, 2, 29);
	refused(MATRIX("{\"metric\":{},\"values\":[[1769817600,\"-Inf\"]]}"), NULL, NULL, FG_ERROR_RANGE, 1,
			101);
	refused(MATRIX("{\"metric\":{},\"values\":[[1769817600]]}"), NULL, NULL, FG_ERROR_SYNTAX, 1, 95);
	refused("{", NULL, NULL, FG_ERROR_SYNTAX, 1, 1);
}

/* --- sweeps --------------------------------------------------------------------------------- */

static bool
read_text(FgContext *ctx, void *arg)
{
	Periods		periods = {.size = 0};
	FgUsageFileOptions options = options_of(&periods, NULL, NULL, 1);

	return fg_usage_file_read(ctx, arg, strlen(arg), &options);
}

/* Long enough that the work is counted. */
static char *
many_lines(void)
{
	const int	count = 60000;
	char	   *text = malloc((size_t) count * 20 + 1);
	size_t		size = 0;

	for (int i = 0; i < count; i++)
		size += (size_t) sprintf(text + size, "%d,1\n", 1769817600 + i);
	return text;
}

int
main(void)
{
	char		json[] = MATRIX("{\"metric\":{},\"values\":[[1769817600,\"3\"],[1769817601,\"3\"]]}");
	char		sadf[] = CPU "h;10;2026-01-31 00:00:10 UTC;-1;5;80";
	char		stamped[] = MOMENTS("{" STAMP("00:00:10", "1", "1") ", \"cpu-load\": {\"idle\": 1}}");
	char		sar[] = BANNER "23:59:59  CPU  %idle\n00:00:01  all  90.00\n";
	char	   *text = many_lines();

	test_lines();
	test_times();
	test_refused_lines();
	test_first_rows();
	test_table_series();
	test_sadf();
	test_sar();
	test_sadf_json();
	test_prometheus();
	unit_sweep_memory("JSON of sadf", read_text, stamped);
	unit_sweep_memory("a result of Prometheus", read_text, json);
	unit_sweep_memory("the output of sadf", read_text, sadf);
	unit_sweep_memory("the output of sar", read_text, sar);
	unit_sweep_interrupts("many lines", read_text, text, 2);
	free(text);
	return unit_finish();
}
