#!/usr/bin/env node
/*
 * speedscope.js READERS FILE NAME ROW SAMPLES
 *		Times speedscope's readers (READERS is what formats.sh has built of them), with the text in memory.
 *
 * NAME is what the reader is told that the file is called.  One run warms up.  Seconds are the processor's; prints lines of row, side,
 * size, work and seconds, one a run.
 */
const fs = require('fs')
const [, , readers, file, name, row, samples] = process.argv
const {importProfileGroupFromText} = require(readers)

// what it says of a file goes where errors go
console.log = console.error

async function main() {
	const bytes = fs.readFileSync(file)
	const text = bytes.toString('utf8')
	for (let run = 0; run <= 3; run++) {
		const before = process.cpuUsage()
		const group = await importProfileGroupFromText(name, text)
		const spent = process.cpuUsage(before)
		if (!group || group.profiles.length === 0) throw new Error('nothing was read')
		if (run > 0)
			process.stdout.write([row, 'speedscope', samples, bytes.length, (spent.user + spent.system) / 1e6].join('\t') + '\n')
	}
}

main().catch(error => {
	console.error(String(error).slice(0, 300))
	process.exit(1)
})
