import type pg from 'pg'

import { clock } from '#kernel/clock'
import { jitteredBackoff } from '#kernel/backoff'

import type { NewTask, Task, TaskQueue } from './task_queue.js'

type Executor = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>

/** The lease of a process that does not renew it. */
const LEASE_MS = 30_000

const CLAIMED = 't.key, t.data, t.attempts, t.revision, array[t.leased_until] as leases'

const LEASED = `attempts = t.attempts + 1, leased_until = $2`

/** The tasks of one queue, stored in a table. */
export class Tasks<Data> {
  readonly queue: TaskQueue
  readonly #pool: pg.Pool
  readonly #table: string
  readonly #isFree: string

  constructor(pool: pg.Pool, queue: TaskQueue) {
    this.#pool = pool
    this.queue = queue
    this.#table = queue.table ?? 'tasks'
    const paused = queue.pausedWhile ? ` and not (${queue.pausedWhile})` : ''
    this.#isFree = `t.queue = '${queue.name}' and t.due_at <= $1
      and (t.leased_until is null or t.leased_until <= $1)${paused}`
  }

  /** Enqueues a task, replacing one with the same key. A claimed task stays claimed and is due again afterwards. */
  async enqueue(task: NewTask<Data>, executor: Executor = this.#pool): Promise<void> {
    await executor.query({
      name: `put-task-${this.#table}`,
      text: `insert into ${this.#table} as t (queue, key, data, due_at) values ($1, $2, $3, $4)
        on conflict (queue, key) do update set data = excluded.data, due_at = excluded.due_at,
          attempts = 0, revision = t.revision + 1`,
      values: [
        this.queue.name,
        task.key,
        JSON.stringify(task.data),
        new Date(task.dueAt ?? clock.now()),
      ],
    })
  }

  /** Enqueues tasks whose keys are not enqueued; returns their keys. */
  async enqueueMissing(
    tasks: readonly NewTask<Data>[],
    executor: Executor = this.#pool
  ): Promise<Set<string>> {
    const { rows } = await executor.query<{ key: string }>(
      `insert into ${this.#table} (queue, key, data, due_at)
       select $1, key, data, $4 from unnest($2::text[], $3::jsonb[]) as added (key, data)
       on conflict do nothing returning key`,
      [
        this.queue.name,
        tasks.map(({ key }) => key),
        tasks.map(({ data }) => JSON.stringify(data)),
        new Date(clock.now()),
      ]
    )
    return new Set(rows.map(({ key }) => key))
  }

  /** Deletes a task that was not claimed yet; returns whether there was one. */
  async cancel(key: string, executor: Executor = this.#pool): Promise<boolean> {
    const { rowCount } = await executor.query(
      `delete from ${this.#table} where queue = $1 and key = $2 and attempts = 0`,
      [this.queue.name, key]
    )
    return rowCount === 1
  }

  /** Claims due tasks, the oldest first. */
  async claim(limit: number): Promise<Task<Data>[]> {
    const { rows } = await this.#pool.query<Task<Data>>({
      name: `take-tasks-${this.queue.name}`,
      text: `update ${this.#table} t set ${LEASED}
        from (select t.queue, t.key from ${this.#table} t where ${this.#isFree} order by t.due_at limit $3
              for update skip locked) due
        where t.queue = due.queue and t.key = due.key returning ${CLAIMED}`,
      values: [...this.#lease(), limit],
    })
    return rows
  }

  /** Claims a task if it is due and not claimed. */
  async claimOne(key: string): Promise<Task<Data> | undefined> {
    const { rows } = await this.#pool.query<Task<Data>>(
      `update ${this.#table} t set ${LEASED} where ${this.#isFree} and t.key = $3 returning ${CLAIMED}`,
      [...this.#lease(), key]
    )
    return rows[0]
  }

  /** Claims a task before it is due, unless an attempt was made. Waits for transactions that are about to cancel it. */
  async claimEarly(key: string): Promise<Task<Data> | undefined> {
    const { rows } = await this.#pool.query<Task<Data>>(
      `update ${this.#table} t set ${LEASED}, due_at = $1
       where t.queue = $3 and t.key = $4 and t.attempts = 0 returning ${CLAIMED}`,
      [...this.#lease(), this.queue.name, key]
    )
    return rows[0]
  }

  /** Renews the lease. Has no effect if the lease has ended and another process has claimed the task. */
  async renewLease({ key, leases }: Pick<Task, 'key' | 'leases'>): Promise<void> {
    const former = [...leases]
    const until = new Date(clock.now() + LEASE_MS)
    // Until the statement returns, either value may be stored.
    leases.push(until)
    await this.#pool.query(
      `update ${this.#table} set leased_until = $3
       where queue = $1 and key = $2 and leased_until = any($4::timestamptz[])`,
      [this.queue.name, key, until, former]
    )
    leases.splice(0, leases.indexOf(until))
  }

  /**
   * Deletes a finished task. Returns false if it was enqueued again meanwhile: then it is released and due, unless
   * another process has claimed it since. Two statements, since one would not see what a concurrent transaction
   * enqueues.
   */
  async finish(task: Task<Data>, executor: Executor = this.#pool): Promise<boolean> {
    const values = [this.queue.name, task.key, task.revision]
    const done = await executor.query({
      name: `finish-task-${this.#table}`,
      text: `delete from ${this.#table} where queue = $1 and key = $2 and revision = $3`,
      values,
    })
    if (done.rowCount === 1) {
      return true
    }
    const released = await executor.query({
      name: `free-newer-task-${this.#table}`,
      text: `update ${this.#table} set leased_until = null
        where queue = $1 and key = $2 and revision <> $3 and leased_until = any($4::timestamptz[])`,
      values: [...values, task.leases],
    })
    return released.rowCount === 0
  }

  /**
   * Releases a failed task, due after a delay. Returns true if it was enqueued again meanwhile, and is due then. Has no
   * effect if another process has claimed it since.
   */
  async release(
    { key, attempts, revision, leases }: Task<Data>,
    pauseMs = jitteredBackoff(attempts, this.queue.backOff)
  ): Promise<boolean> {
    const { rows } = await this.#pool.query<{ isNewer: boolean }>(
      `update ${this.#table} set leased_until = null,
         due_at = case when revision = $3 then $4::timestamptz else due_at end
       where queue = $1 and key = $2 and leased_until = any($5::timestamptz[])
       returning revision <> $3 as "isNewer"`,
      [this.queue.name, key, revision, new Date(clock.now() + pauseMs), leases]
    )
    return rows[0]?.isNewer ?? false
  }

  /** The times that claiming statements compare with and set. */
  #lease(): [now: Date, until: Date] {
    const now = clock.now()
    return [new Date(now), new Date(now + LEASE_MS)]
  }
}
