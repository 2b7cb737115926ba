// duckdb.js MODULE RUNS SIZE ALL ROWS DATABASE: a day of a service as rows of numbered stacks in DuckDB.
//
// MODULE is the path of @duckdb/node-api, ROWS a CSV file of lines second, pod, stack, value in the order of time, DATABASE
// the file to make, SIZE the number of profiles, ALL of how many the run is. Prints lines: measure, side, size, work,
// seconds (README.md). One thread, like every side.
"use strict";
const fs = require("fs");
const [module_path, runs, size, all, rows, file] = process.argv.slice(2);
const { DuckDBInstance } = require(module_path);

async function main() {
    fs.rmSync(file, { force: true });
    const instance = await DuckDBInstance.create(file, { threads: "1", storage_compatibility_version: "latest" });
    const db = await instance.connect();
    async function measure(name, sql) {
        for (let run = 0; run <= Number(runs); run++) {
            const start = process.hrtime.bigint();
            await db.runAndReadAll(sql);
            const seconds = Number(process.hrtime.bigint() - start) / 1e9;
            if (run > 0) console.log([name, "duckdb", size, 1, seconds.toFixed(9)].join("\t"));
        }
    }
    await db.run("CREATE TABLE row_of (second BIGINT, pod VARCHAR, stack INTEGER, value DOUBLE)");
    await db.run(`COPY row_of FROM '${rows}' (FORMAT csv, HEADER false)`);
    await db.run("CHECKPOINT");
    console.log(["production_bytes", "duckdb", all, fs.statSync(file).size / Number(size), 0].join("\t"));
    await measure("production_window", "SELECT stack, sum(value) FROM row_of GROUP BY stack");
    await measure("production_pod", "SELECT stack, sum(value) FROM row_of WHERE second >= (SELECT max(second) FROM row_of) - 3600 AND pod = 'pod-7' GROUP BY stack");
}

main();
