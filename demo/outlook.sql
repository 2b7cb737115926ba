-- The end of the demo. Run by demo/run.sh.
\echo
\echo 'To open in a browser: tmp/demo/night.html, the page of the last night; report.html, what is wrong with the benchmark that'
\echo 'got slow; benchmark.html, its history. And pictures (click, / searches): tmp/demo/before.svg and after.svg, flame graphs of'
\echo 'the two groups; difference.svg, what the index changed; build.svg, the build as a flame graph;'
\echo 'job.html, a page about the build: what costs most, what would help, where, when and whose.'
\echo
\echo 'Now try it yourself: "make psql" opens a shell on these profiles. For instance:'
\echo '    SELECT * FROM top((SELECT sum(profile) FROM profile), 10);'
\echo '    SELECT * FROM tree((SELECT sum(profile) FROM profile), 0.1, 12);'
\echo '    SELECT * FROM callers((SELECT sum(profile) FROM profile), ''ExecSort'');'
\echo '    SELECT name, event, frame, total_share FROM profiling.hot_frame WHERE rank = 1;'
\echo 'Name the columns that you want to see: SELECT * from a table with profiles prints whole profiles,'
\echo 'summary(profile) a few lines.'
\echo 'README.md, "Your own profiles", loads a recording of your own here; docs/cheat-sheet.md has a line for each question.'
