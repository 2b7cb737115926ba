-- The end of the demo. Run by demo/run.sh.
\echo
\echo 'Now try it yourself: "make psql" opens a shell on these profiles. For instance:'
\echo '    SELECT * FROM profile LIMIT 1;'
\echo '    SELECT * FROM code_path_potential((SELECT sum(profile) FROM profile)) LIMIT 10;'
\echo '    SELECT a.profile <-> b.profile AS distance FROM profile a, profile b WHERE a.run = 1 AND b.run = 2;'
\echo '    SELECT * FROM profiling.hot_frame WHERE rank = 1;'
\echo 'Your own profiles come in with flamegraph_from_folded(text), or into the store as docs/tutorial.md shows; README.md and'
\echo 'docs/ say more.'
