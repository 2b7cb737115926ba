// duckdb.js MODULE RUNS SIZE PROFILES PAIRS ROWS DATABASE STACKS TOTAL: the recordings as rows in DuckDB.
//
// MODULE is the path of @duckdb/node-api, ROWS a file of lines profile, stack, value, DATABASE the file to make. The sum
// of all recordings must have STACKS stacks and the total TOTAL. Prints lines: measure, side, size, work, seconds
// (README.md). One thread, like every side.
"use strict";
const fs = require("fs");
const [module_path, runs, size, profiles, pairs, rows, file, stacks, total] = process.argv.slice(2);
const { DuckDBInstance } = require(module_path);

function note(measure, side, work, seconds) {
    console.log([measure, side, size, work, seconds.toFixed(9)].join("\t"));
}

async function main() {
    fs.rmSync(file, { force: true });
    // The newest format of the file: the one that every version reads does not compress these strings.
    const instance = await DuckDBInstance.create(file, { threads: "1", storage_compatibility_version: "latest" });
    const db = await instance.connect();

    async function query(sql) {
        return (await db.runAndReadAll(sql)).getRowsJson()[0];
    }
    // One warm-up; returns the answer of the last run.
    async function measure(name, side, work, sql, times) {
        let answer;
        for (let run = 0; run <= times; run++) {
            const start = process.hrtime.bigint();
            answer = await query(sql);
            if (run > 0) note(name, side, work, Number(process.hrtime.bigint() - start) / 1e9);
        }
        return answer;
    }
    function check(answer) {
        if (Number(answer[0]) !== Number(stacks) || Number(answer[1]) !== Number(total)) {
            throw new Error(`the sum has ${answer[0]} stacks and the total ${answer[1]}, not ${stacks} and ${total}`);
        }
    }

    let start = process.hrtime.bigint();
    await db.run("CREATE TABLE stack_row (profile_id INTEGER, stack VARCHAR, value DOUBLE)");
    await db.run(`COPY stack_row FROM '${rows}' (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '', AUTO_DETECT false)`);
    await db.run("CHECKPOINT");
    note("load", "duckdb", 1, Number(process.hrtime.bigint() - start) / 1e9);
    note("table_size", "duckdb", fs.statSync(file).size, 0);

    const nodes = Number(size) * Number(profiles);
    check(await measure("sum", "duckdb", nodes,
        "SELECT count(*), sum(value) FROM (SELECT stack, sum(value) AS value FROM stack_row GROUP BY stack)", Number(runs)));
    // Smaller and slower than what DuckDB chooses by itself.
    const packed = `${file}.zstd`;
    await db.run("SET force_compression = 'zstd'");
    await db.run(`ATTACH '${packed}' AS packed (STORAGE_VERSION 'latest')`);
    await db.run("CREATE TABLE packed.stack_row AS FROM stack_row");
    await db.run("CHECKPOINT packed");
    note("table_size", "duckdb_zstd", fs.statSync(packed).size, 0);
    check(await measure("sum", "duckdb_zstd", nodes,
        "SELECT count(*), sum(value) FROM (SELECT stack, sum(value) AS value FROM packed.stack_row GROUP BY stack)", Number(runs)));
    await db.run("DETACH packed");
    fs.rmSync(packed);
    await db.run("RESET force_compression");
    // The stacks numbered: what an expert makes of that table.
    await db.run("CREATE TABLE stack AS SELECT row_number() OVER () AS id, stack FROM (SELECT DISTINCT stack FROM stack_row)");
    await db.run("CREATE TABLE numbered_row AS SELECT profile_id, id, value FROM stack_row JOIN stack USING (stack) ORDER BY profile_id");
    check(await measure("sum", "duckdb_numbers", nodes,
        "SELECT count(stack), sum(value) FROM (SELECT id, sum(value) AS value FROM numbered_row GROUP BY id) JOIN stack USING (id)",
        Number(runs)));

    const pair = (result) => Array.from({ length: Number(pairs) }, (_, i) => `SELECT ${result} AS result
        FROM (SELECT stack, value FROM stack_row WHERE profile_id = ${i + 1}) AS a
        FULL JOIN (SELECT stack, value FROM stack_row WHERE profile_id = ${i + 2}) AS b USING (stack)`).join(" UNION ALL ");
    await measure("distance", "duckdb", Number(pairs),
        `SELECT sum(result) FROM (${pair("sum(abs(coalesce(a.value, 0) - coalesce(b.value, 0)))")})`, Number(runs));
    db.closeSync();
    instance.closeSync();
    fs.rmSync(file, { force: true });
}

main().catch((error) => {
    console.error(`duckdb.js: ${error.message}`);
    process.exit(1);
});
