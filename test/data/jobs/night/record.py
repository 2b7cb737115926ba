#!/usr/bin/env python3
"""Records the nights of this folder anew: test/data/jobs/night/record.py, from the top of the tree, takes half a minute.

Each night the job runs three times, in its first version until night 10 and in its second one after that. What
tools/record-job writes is put together, with the number of the job as first column; times are moved so that the nights are
nights, which changes no duration.
"""
import csv
import datetime
import json
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
FIRST_NIGHT = datetime.datetime(2026, 1, 5, 2, tzinfo=datetime.timezone.utc)
NIGHTS, REPETITIONS, LAST_OF_FIRST_VERSION = 12, 3, 10
OF_THE_MODEL = ('phase_type', 'resource_type', 'attribution_rule')
OF_A_JOB = ('phase', 'resource', 'usage_measurement')


def rows_of(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def moved(text, by):
    return (datetime.datetime.fromisoformat(text) + by).isoformat(' ')


def record(folder, level):
    """One run of the job, in a folder of its own; where its recording is."""
    folder.mkdir()
    shutil.copy(HERE / 'Makefile', folder)
    subprocess.run([pathlib.Path('tools/record-job').resolve(), '-o', 'recording', '-n', 'report', '-m', 'report', '--', 'make', '-s',
                    f'LEVEL={level}'], cwd=folder, check=True)
    return folder / 'recording'


class Nights:
    def __init__(self):
        self.tables = {'job': (['job_id', 'started_at', 'labels'], [])}

    def add_model(self, recording):
        for table in OF_THE_MODEL:
            self.tables[table] = rows_of(recording / f'{table}.csv')

    def add_job(self, recording, number, night, repetition):
        begin = FIRST_NIGHT + datetime.timedelta(days=night - 1)
        header, (job,) = rows_of(recording / 'job.csv')
        job = dict(zip(header, job))
        by = begin + datetime.timedelta(minutes=repetition) - datetime.datetime.fromisoformat(job['started_at'])
        labels = json.loads(job['labels'])
        labels.update(branch='main', commit=f'night{night}', repetition=repetition, run_started_at=begin.isoformat(' '))
        del labels['command']
        self.tables['job'][1].append([number, moved(job['started_at'], by), json.dumps(labels)])
        for table in OF_A_JOB:
            header, rows = rows_of(recording / f'{table}.csv')
            times = [i for i, name in enumerate(header) if name.endswith('_time')]
            kept = self.tables.setdefault(table, (['job_id', *header], []))[1]
            for row in rows:
                kept.append([number, *(moved(value, by) if i in times else value for i, value in enumerate(row))])

    def write(self):
        for table, (header, rows) in self.tables.items():
            with open(HERE / f'{table}.csv', 'w', encoding='utf-8', newline='') as file:
                csv.writer(file, lineterminator='\n').writerows([header, *rows])


def main():
    nights = Nights()
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        for night in range(1, NIGHTS + 1):
            for repetition in range(REPETITIONS):
                number += 1
                recording = record(pathlib.Path(folder) / str(number), 1 if night <= LAST_OF_FIRST_VERSION else 9)
                if number == 1:
                    nights.add_model(recording)
                nights.add_job(recording, number, night, repetition)
    nights.write()


if __name__ == '__main__':
    main()
