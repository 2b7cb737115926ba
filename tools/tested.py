#!/usr/bin/env python3
"""Each module of the core has a test, each test a module: a lint over src/core and test/core.

A module ROOM/NAME is tested in test/core/ROOM/test_NAME.c, or where ALSO says: there stands what a test tests beside
the module of its name, with the room where it is another one.
"""
import pathlib
import sys

GENERATED = {'svg/embedded'}
ALSO = {
    'cct/test_recursion.c': 'profile/walk',
    'cct/test_tally.c': 'base/order',
    'compare/test_change_points.c': 'division',
    'compare/test_deviation.c': 'correlation deviation_spread observations',
    'compare/test_expansion.c': 'forest occurrence profile/names',
    'compare/test_hotelling.c': 'reduced samples/keys',
    'compare/test_max_t.c': 'samples/profiles',
    'compare/test_welch.c': 'difference key_test',
    'browsers/test_chrome.c': 'trace_events trace_lanes trace_samples trace_v8',
    'pprof/test_gperftools.c': 'code_map gperftools_text',
    'reading/test_kept_numbers.c': 'chunks',
    'profile/test_codec.c': 'codec_encode',
    'merging/test_tree_sum.c': 'tree_sum_encoded tree_sum_frames',
    'merging/test_known_frames.c': 'base/slots tree_sum_nodes',
    'series/test_flameseries.c': 'flameseries_build flameseries_codec_read flameseries_codec_windows',
    'browsers/test_firefox.c': 'firefox_rows firefox_samples firefox_stacks',
    'formats/test_instruments.c': 'instruments_text instruments_xml reading/xml_stream',
    'formats/test_json_formats.c': 'browsers/cpuprofile browsers/heapprofile browsers/v8_profile browsers/v8_stream speedscope speedscope_stacks jfr/jfr_json reading/id_index '
    'reading/json_stream reading/json_tokens',
    'reading/test_xml_tokens.c': 'text_window xml_declaration xml_names',
    'jfr/test_jfr_binary.c': 'jfr jfr_chunk jfr_events jfr_stacks',
    'jfr/test_jfr_hostile.c': 'jfr_metadata jfr_pools jfr_values',
    'pprof/test_otlp.c': 'otlp_json otlp_message otlp_profiles otlp_samples otlp_schema otlp_tables',
    'pprof/test_pprof.c': 'pprof_code pprof_ranks pprof_tree pprof_write',
    'formats/test_long_texts.c': 'perf_lines',
    'formats/test_stacks.c': 'bpftrace callgrind sample stack_text',
    'formats/test_recording.c': 'austin folded_file formats lookalikes packed perf reading/gunzip reading/sink reading/sink_end '
    'reading/text_lines reading/zlib_memory',
    'jobs/test_job_analysis.c': 'access activity analysis intervals job job_options keys_sort precedence predicate slices '
    'attribution/algorithms attribution/attribution attribution/attribution_difference attribution/sampling_error '
    'attribution/suggest attribution/upsample attribution/value_stats attribution/workload '
    'bottlenecks/bottleneck_issues bottlenecks/bottlenecks bottlenecks/durations bottlenecks/imbalance '
    'bottlenecks/issues bottlenecks/leaf_bottlenecks bottlenecks/ranking bottlenecks/timeline',
    'jobs/test_job_rules.c': 'bottlenecks/causes parts predicate_memo stragglers',
    'checking/test_job_rows.c': 'job_rows_measured',
    'traces/test_spark.c': 'spark_connect spark_emit spark_events spark_merge spark_parts spark_usage',
    'traces/test_usage_file.c': 'usage_file_prometheus usage_file_sadf usage_file_sar usage_file_table usage_file_time',
    'checking/test_validate.c': 'problem validate_model validate_phases validate_resources validate_warnings',
    'editor/test_scan.c': 'scan_python scan_tokens',
    'models/test_detection.c': 'outliers',
    'models/test_kernel.c': 'compact_sums',
    'models/test_kernel_regression.c': 'bandwidth local_fit smoother',
    'models/test_moving_average.c': 'window',
    'models/test_parametric.c': 'formula',
    'svg/test_axis.c': 'axis_time',
    'picture/test_chart.c': 'chart_boxes chart_data chart_lanes chart_svg chart_time',
    'picture/test_diff.c': 'change_parts diff_box diff_colors diff_data diff_runs diff_texts group_means parts verdicts',
    'picture/test_flame.c': 'data data_read svg/document svg/drawing',
    'heat_maps/test_heat_map.c': 'heat_map_bar heat_map_cells heat_map_colors heat_map_layout heat_map_pairs heat_map_profiles',
    'lanes/test_lanes.c': 'lane_cells lanes_axes lanes_layout lanes_marks lanes_series',
    'picture/test_golden_pictures.c': 'svg/document',
    'plots/test_golden_plots.c': 'plots/plot',
    'picture/test_page.c': 'page_table',
    'plots/test_plot.c': 'plot_axes plot_cells plot_change plot_correlation plot_curve plot_layout plot_marks plot_models plot_rows plot_say plot_style '
    'plot_scaling plot_trend plot_trend_texts plot_words models/amdahl models/trailing_band',
    'picture/test_sandwich.c': 'sandwich_halves sandwich_marks',
    'profile/test_algebra.c': 'tree_pair',
    'patterns/test_query.c': 'match',
    'profile/test_transform.c': 'split subset',
    'samples/test_distances.c': 'compare/energy',
    'samples/test_level.c': 'base/choice',
    '../sql/comparing_size_factor.sql': 'samples/size_factor',
    '../sql/comparing_variance.sql': 'compare/stable_factor',
}


def tested_elsewhere():
    """Module to test, both with their rooms."""
    for test, modules in ALSO.items():
        for module in modules.split():
            yield (module if '/' in module else f'{pathlib.PurePath(test).parent}/{module}'), test


def main():
    sources = pathlib.Path('src/core')
    tests = pathlib.Path('test/core')
    modules = {str(path.relative_to(sources).with_suffix('')) for path in sources.glob('*/*.c')} - GENERATED
    elsewhere = dict(tested_elsewhere())
    problems = [f'{test} is in ALSO, but not in test/core' for test in ALSO if not (tests / test).is_file()]
    problems += [f'{module} is in ALSO, but not in src/core' for module in elsewhere if module not in modules]
    for path in tests.glob('*/test_*.c'):
        test = str(path.relative_to(tests))
        if test.replace('/test_', '/')[:-2] not in modules and not ALSO.get(test):
            problems.append(f'test/core/{test} has the name of no module, and none in ALSO')
    for module in modules:
        room, name = module.split('/')
        if module not in elsewhere and not (tests / room / f'test_{name}.c').is_file():
            problems.append(f'src/core/{module}.c has no test/core/{room}/test_{name}.c; which test is it in?')
    print(f'{len(modules)} modules, {len(elsewhere)} of them in the test of another')
    for problem in sorted(problems):
        print(problem)
    return bool(problems)


if __name__ == '__main__':
    sys.exit(main())
