#!/usr/bin/env python3
"""The rows of a Spark event log as a job, read by the definitions and nothing else.

Usage: spark_log.py FILE...   The files are parts of one log. Writes one JSON object: phases, access, blocked, usage, cores,
counts. The test compares them with what the extension makes of the same log.
       spark_log.py --draw SEED   Writes a log to try.
"""
import collections
import fractions
import gzip
import json
import sys
from random import Random

PARTS = ['scheduler delay', 'deserialize', 'fetch wait', 'compute', 'gc', 'shuffle write', 'result serialize',
         'getting result']
EPOCH = 946684800000
USED = {'SparkListener' + name for name in (
    'LogStart ApplicationStart ApplicationEnd JobStart JobEnd StageSubmitted StageCompleted TaskStart TaskEnd '
    'ExecutorAdded').split()}


def micros(ms):
    return (ms - EPOCH) * 1000


def whole(value):
    """A number that is a whole one, else None."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
    return int(value) if good and abs(value) < 2 ** 53 else None


def time_of(value):
    value = whole(value)
    return value if value is not None and 0 < value < 253402300800000 else 0


def clean(text):
    """As UTF-8 of at most 200 bytes, control characters as blanks, lone surrogates as '?'."""
    if not isinstance(text, str):
        return ''
    text = ''.join('?' if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    cut = text.encode()[:200].decode(errors='ignore')
    return ''.join(' ' if ord(c) < 32 or ord(c) == 127 else c for c in cut)


def read_events(data, counts):
    """The events of Spark that are used, from bytes."""
    for line in data.split(b'\n'):
        if not line.strip(b' \t\r'):
            continue
        try:
            event = json.loads(line.decode('utf-8-sig'))
            name = event['Event']
            assert isinstance(name, str)
        except (ValueError, KeyError, TypeError, AssertionError, RecursionError):
            if not line.startswith(b'{"Event":"') or line[10:].split(b'"')[0].decode(errors='replace') in USED:
                counts['unreadable'] += 1
                continue
            event, name = {}, line[10:].split(b'"')[0].decode()
        if name in USED:
            yield name[len('SparkListener'):], event
        elif not name.startswith(('SparkListener', 'org.apache.spark.')):
            counts['unknown'] += 1


def member(event, key):
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def ids(event, *keys):
    """Whole numbers from 0 on, else None."""
    found = [whole(event.get(key)) for key in keys]
    return found if all(value is not None and value >= 0 for value in found) else None


class Log:
    def __init__(self, data):
        self.counts = collections.Counter()
        self.times, self.jobs, self.stages, self.tasks = [], {}, {}, {}
        self.started, self.cores = set(), {}
        self.start = self.end = 0
        self.id = ''
        for name, event in read_events(data, self.counts):
            getattr(self, 'take_' + name, lambda event: True)(event) or self.count('incomplete')
        for key in [key for key, job in self.jobs.items() if not job['start']]:
            self.count('incomplete')
            del self.jobs[key]
        self.stages = {key: stage for key, stage in self.stages.items() if stage['start']}
        self.running_application = not self.end
        self.start = self.start or min(self.times)
        self.end = self.end or max(self.times)

    def count(self, what):
        self.counts[what] += 1

    def time(self, value):
        value = time_of(value)
        if value:
            self.times.append(value)
        return value

    def take_ApplicationStart(self, event):
        self.start = self.time(event.get('Timestamp'))
        self.id = clean(event.get('App ID'))
        return self.start

    def take_ApplicationEnd(self, event):
        self.end = self.time(event.get('Timestamp'))
        return self.end

    def take_JobStart(self, event):
        time, key, listed = self.time(event.get('Submission Time')), ids(event, 'Job ID'), event.get('Stage IDs')
        if not time or not key or not isinstance(listed, list):
            return False
        job = self.jobs.setdefault(key[0], {'start': 0, 'end': 0, 'stages': set()})
        if not job['start']:
            job['stages'] = set(listed)
        job['start'] = min(job['start'] or time, time)
        return True

    def take_JobEnd(self, event):
        time, key = self.time(event.get('Completion Time')), ids(event, 'Job ID')
        if not time or not key:
            return False
        job = self.jobs.setdefault(key[0], {'start': 0, 'end': 0, 'stages': set()})
        job['end'] = max(job['end'], time)
        return True

    def take_stage(self, event):
        info = member(event, 'Stage Info')
        start, end = self.time(info.get('Submission Time')), self.time(info.get('Completion Time'))
        key = ids(info, 'Stage ID', 'Stage Attempt ID')
        if not key:
            return False
        stage = self.stages.setdefault(tuple(key), {'start': 0, 'end': 0, 'parents': [], 'name': ''})
        stage['start'] = min(stage['start'] or start, start or stage['start'])
        stage['end'] = max(stage['end'], end)
        stage['parents'] = stage['parents'] or info.get('Parent IDs') or []
        stage['name'] = stage['name'] or clean(info.get('Stage Name'))
        return True

    take_StageSubmitted = take_StageCompleted = take_stage

    def take_TaskStart(self, event):
        info = member(event, 'Task Info')
        self.time(info.get('Launch Time'))
        key = ids(info, 'Task ID')
        if key:
            self.started.add(key[0])
        return bool(key)

    def take_ExecutorAdded(self, event):
        self.time(event.get('Timestamp'))
        name = clean(event.get('Executor ID'))
        if name:
            cores = whole(member(event, 'Executor Info').get('Total Cores')) or 0
            self.cores[name] = max(self.cores.get(name, 0), cores)
        return name

    def take_TaskEnd(self, event):
        info, metrics = member(event, 'Task Info'), event.get('Task Metrics')
        task = {'launch': self.time(info.get('Launch Time')), 'finish': self.time(info.get('Finish Time')),
                'stage': ids(event, 'Stage ID', 'Stage Attempt ID'), 'place': ids(info, 'Index', 'Attempt'),
                'executor': clean(info.get('Executor ID')), 'getting': whole(info.get('Getting Result Time')) or 0,
                'metrics': metrics if isinstance(metrics, dict) else None,
                'words': ''.join(word for word, on in (
                    (' speculative', info.get('Speculative')),
                    (' killed' if info.get('Killed') else ' failed', info.get('Killed') or info.get('Failed'))) if on)}
        if member(event, 'Task End Reason').get('Reason') == 'Resubmitted':
            return True
        key = ids(info, 'Task ID')
        if not (key and task['stage'] and task['place'] and task['launch'] and task['executor']
                and task['finish'] >= task['launch']):
            return False
        self.cores.setdefault(task['executor'], 0)
        old = self.tasks.get(key[0])
        if old is None or (old['metrics'] is None and task['metrics'] is not None):
            self.tasks[key[0]] = task
        return True


def parts_of(task):
    """Lengths in ms in PARTS' order, and whether the log's numbers fit."""
    room, fits, parts = task['finish'] - task['launch'], True, dict.fromkeys(PARTS, 0)

    def cut(wanted, most):
        nonlocal fits
        given = min(max(wanted, 0), most)
        fits = fits and given == wanted
        return given

    if task['getting'] > 0:
        parts['getting result'] = cut(task['finish'] - task['getting'], room)
        room -= parts['getting result']
    if task['metrics'] is None:
        parts['compute'] = room
        return parts, fits
    m = task['metrics']
    number = lambda of, key: whole(of.get(key)) or 0
    parts['deserialize'] = cut(number(m, 'Executor Deserialize Time'), room)
    run = cut(number(m, 'Executor Run Time'), room - parts['deserialize'])
    parts['result serialize'] = cut(number(m, 'Result Serialization Time'), room - parts['deserialize'] - run)
    parts['scheduler delay'] = room - parts['deserialize'] - run - parts['result serialize']
    for part, wanted in (('fetch wait', number(member(m, 'Shuffle Read Metrics'), 'Fetch Wait Time')),
                         ('shuffle write', int(number(member(m, 'Shuffle Write Metrics'), 'Shuffle Write Time') / 10 ** 6)),
                         ('gc', number(m, 'JVM GC Time'))):
        parts[part] = cut(wanted, run)
        run -= parts[part]
    parts['compute'] = run
    return parts, fits


def own(log):
    """Each stage attempt's job: the first that lists it and was active then, else the first that lists it."""
    for (stage, _), attempt in log.stages.items():
        listing = [key for key in sorted(log.jobs) if stage in log.jobs[key]['stages']]
        active = [key for key in listing if log.jobs[key]['start'] <= attempt['start']
                  and (not log.jobs[key]['end'] or attempt['start'] <= log.jobs[key]['end'])]
        attempt['job'] = (active + listing + [None])[0]
        if attempt['job'] is None:
            log.count('lost_stages')


def order_stages(log):
    """Attempts with a job, by job and submission, with their depths."""
    order = sorted((key for key in log.stages if log.stages[key]['job'] is not None),
                   key=lambda key: (log.stages[key]['job'], log.stages[key]['start'], key))
    deepest = {}
    for key in order:
        stage = log.stages[key]
        before = [deepest[(stage['job'], other)] for other in [*stage['parents'], key[0]]
                  if (stage['job'], other) in deepest]
        stage['depth'] = min(max(before, default=-1) + 1, 99)
        deepest[(stage['job'], key[0])] = max(deepest.get((stage['job'], key[0]), 0), stage['depth'])
    return order


def end_all(log):
    for job in log.jobs.values():
        log.counts['running_jobs'] += not job['end']
        job['end'] = max(job['end'], job['start']) if job['end'] else max(log.times)
    for stage in log.stages.values():
        if stage['job'] is None:
            continue
        log.counts['running_stages'] += not stage['end']
        stage['end'] = max(stage['end'] or log.jobs[stage['job']]['end'], stage['start'])


class Rows:
    """The tables; phases are known by their path of instances here, not by a number."""

    def __init__(self, log):
        self.log = log
        self.phases, self.access, self.blocked, self.used = [], [], [], collections.defaultdict(list)

    def phase(self, path, kind, depth, start, end):
        self.phases.append(['/'.join(path), kind if depth is None else f'{kind}[{depth}]', micros(start), micros(end)])

    def task(self, path, depth, task):
        parts, fits = parts_of(task)
        self.log.counts['contradictory'] += not fits
        path = path + ['{}.{}{}'.format(*task['place'], task['words'])]
        self.phase(path, 'task', depth, task['launch'], task['finish'])
        self.access.append(['/'.join(path), task['executor']])
        start, ranges = task['launch'], {}
        for part in PARTS:
            ranges[part] = (start, start + parts[part])
            start += parts[part]
            if parts[part]:
                self.phase(path + [part], part, depth, *ranges[part])
            if parts[part] and part in ('gc', 'fetch wait'):
                self.blocked.append([task['executor'], part.split()[0], *map(micros, ranges[part])])
        self.use(task, parts, ranges)

    def use(self, task, parts, ranges):
        metrics = task['metrics'] or {}
        for names, key in ((['deserialize'], 'Executor Deserialize CPU Time'),
                           (['compute', 'shuffle write'], 'Executor CPU Time')):
            cpu = whole(metrics.get(key))
            length = sum(parts[name] for name in names)
            rate = None if cpu is None or cpu < 0 else min(fractions.Fraction(cpu, 10 ** 6 * max(length, 1)), 1)
            for name in names:
                if parts[name]:
                    self.used[task['executor']].append((*ranges[name], rate))

    def usage(self):
        for executor, used in sorted(self.used.items()):
            if not self.log.cores[executor]:
                continue
            changes = collections.defaultdict(lambda: [0, 0, 0])
            for start, end, rate in used:
                for time, sign in ((start, 1), (end, -1)):
                    for i, by in enumerate((1, rate is None, rate or 0)):
                        changes[time][i] += sign * by
            times, state = sorted(changes), [0, 0, 0]
            for time, after in zip(times, times[1:]):
                state = [a + b for a, b in zip(state, changes[time])]
                if state[0] and not state[1]:
                    yield [executor, micros(time), micros(after), float(state[2])]


def rows_of(log):
    own(log)
    order = order_stages(log)
    end_all(log)
    rows = Rows(log)
    rows.phase([log.id], 'application', None, log.start, max(log.start, log.end))
    tasks = collections.defaultdict(list)
    for number, task in sorted(log.tasks.items()):
        tasks[tuple(task['stage'])].append(task)
    for key, job in sorted(log.jobs.items()):
        rows.phase([log.id, str(key)], 'job', None, job['start'], job['end'])
    for key in order:
        stage, seen = log.stages[key], set()
        path = [log.id, str(stage['job']), '{}.{}'.format(*key) + (' ' + stage['name'] if stage['name'] else '')]
        rows.phase(path, 'stage', stage['depth'], stage['start'], stage['end'])
        for task in tasks.pop(key, []):
            if tuple(task['place']) in seen:
                log.count('doubled_tasks')
                continue
            seen.add(tuple(task['place']))
            rows.task(path, stage['depth'], task)
    log.counts['lost_tasks'] = sum(map(len, tasks.values()))
    log.counts['running_tasks'] = len(log.started - set(log.tasks))
    log.counts['unsized'] = sum(not cores for cores in log.cores.values())
    return rows


def draw(seed):
    """A log of a made-up application, with what real logs have: retries, shared stages, lost lines, odd numbers."""
    random, base, lines, task_id = Random(seed), 1600000000000, [], 0

    def event(name, **members):
        line = {'Event': 'SparkListener' + name, **{key.replace('_', ' '): value for key, value in members.items()}}
        lines.append(json.dumps(line))

    def stage(key, parents, start, end=0):
        info = {'Stage ID': key[0], 'Stage Attempt ID': key[1], 'Stage Name': f'stage {key[0]} at "x"\n',
                'Parent IDs': parents, 'Submission Time': base + start}
        return info | ({'Completion Time': base + end} if end else {})

    def task(key, index, launch):
        nonlocal task_id
        long = random.randrange(1, 400)
        info = {'Task ID': task_id, 'Index': index, 'Attempt': random.randrange(2), 'Launch Time': base + launch,
                'Executor ID': str(random.randrange(1, 12)), 'Getting Result Time': 0, 'Finish Time': 0,
                'Speculative': random.random() < 0.1, 'Failed': random.random() < 0.1, 'Killed': random.random() < 0.05}
        task_id += 1
        event('TaskStart', Stage_ID=key[0], Stage_Attempt_ID=key[1], Task_Info=info)
        getting = base + launch + long - random.randrange(long + 5) if random.random() < 0.1 else 0
        info = info | {'Finish Time': base + launch + long, 'Getting Result Time': getting}
        run = random.randrange(long + 1)
        metrics = {'Executor Run Time': run, 'Executor Deserialize Time': random.randrange(long - run + 3),
                   'Result Serialization Time': random.randrange(3), 'JVM GC Time': random.randrange(run // 3 + 2)}
        if random.random() < 0.5:
            metrics['Shuffle Read Metrics'] = {'Fetch Wait Time': random.randrange(run // 2 + 1)}
            metrics['Shuffle Write Metrics'] = {'Shuffle Write Time': random.randrange(run * 500000 + 1)}
        if random.random() < 0.9:
            metrics |= {'Executor CPU Time': random.randrange(run * 1100000 + 1), 'Executor Deserialize CPU Time': 999999}
        more = {'Task_Metrics': metrics} if random.random() < 0.95 else {}
        event('TaskEnd', Stage_ID=key[0], Stage_Attempt_ID=key[1], Task_End_Reason={'Reason': 'Success'}, Task_Info=info,
              **more)
        return launch + long

    event('LogStart', Spark_Version='3.4.0')
    event('ApplicationStart', App_Name='drawn', App_ID=f'app-{seed}', Timestamp=base)
    for number in range(1, 11):
        event('ExecutorAdded', Timestamp=base + number, Executor_ID=str(number), Executor_Info={'Total Cores': number % 4})
    now = 100
    for job in range(random.randrange(1, 6)):
        first = job * 4
        event('JobStart', Job_ID=job, Submission_Time=base + now, Stage_IDs=[*range(max(first - 2, 0), first + 4)])
        for number in range(first, first + 4):
            parents = [p for p in range(max(first - 2, 0), number) if random.random() < 0.6]
            for attempt in range(random.choice([1, 1, 1, 2])):
                key, start, end = (number, attempt), now + random.randrange(20), now + 30
                event('StageSubmitted', Stage_Info=stage(key, parents, start))
                for index in range(random.randrange(9)):
                    end = max(end, task(key, index, start + random.randrange(60)))
                event('StageCompleted', Stage_Info=stage(key, parents, start, end))
                now = random.choice([now, end])
        now += 500
        event('JobEnd', Job_ID=job, Completion_Time=base + now)
        now -= random.choice([0, 0, 400])
    event('ApplicationEnd', Timestamp=base + now + 1000)
    kept = [line for line in lines if random.random() < random.choice([1, 0.98])]
    kept = [line[:random.randrange(len(line))] if random.random() < 0.02 else line for line in kept]
    return '\n'.join(kept[:2] + random.sample(kept[2:], len(kept) - 2) if seed % 2 else kept) + '\n'


def main():
    if sys.argv[1] == '--draw':
        print(draw(int(sys.argv[2])), end='')
        return
    data = b''
    for name in sys.argv[1:]:
        part = open(name, 'rb').read()
        data += gzip.decompress(part) if part[:2] == b'\x1f\x8b' else part
    log = Log(data)
    rows = rows_of(log)
    json.dump({'phases': sorted(rows.phases), 'access': sorted(rows.access), 'blocked': sorted(rows.blocked),
               'usage': sorted(rows.usage()), 'cores': sorted(log.cores.items()),
               'counts': {key: count for key, count in sorted(log.counts.items()) if count}}, sys.stdout)


if __name__ == '__main__':
    main()
