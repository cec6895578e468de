import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

import type { TestSuite } from '@japa/runner/types'

import { builtProgram } from '#tests/helpers/built_program'
import { installServers } from '#tests/services/servers/packages'

import { closingLine } from './closing_line.js'
import { added } from './costs.js'
import { environmentOf, type Job, type JobMessage, type JobResult } from './job.js'
import { jobsOf } from './jobs.js'
import { slowestFiles } from './slowest_files.js'
import { needsBuild, needsDatabase, needsServers } from './suites.js'
import { DatabaseTemplate } from './template.js'

const NOTHING: JobResult = { passed: 0, failed: 0, skipped: 0, costs: {} }

/** Ten times what the slowest job needs on a quiet machine. */
const JOB_MAX_MS = 30 * 60_000

/** Tests wait for other processes a third of their time, so there is work for more of them than there are cores. */
const processesAtOnce = (): number =>
  Number(process.env.TEST_PROCESSES ?? availableParallelism() + 1)

/**
 * Runs suites concurrently in several processes with separate databases; resolves to whether all passed.
 */
export async function runConcurrently(suites: readonly TestSuite[]): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
  let template: DatabaseTemplate | undefined
  try {
    const names = suites.map(({ name }) => name)
    const building = needsBuild(names) ? builtProgram() : Promise.resolve()
    // A failure is reported below, after the other results.
    building.catch(() => {})
    if (needsServers(names)) {
      await installServers()
    }
    if (needsDatabase(names)) {
      template = await DatabaseTemplate.prepare(folder)
    }
    // Built before the tests, so that no test spends its time limit on the build.
    await building
    return await new Run(folder, template).all(jobsOf(suites), processesAtOnce())
  } finally {
    await template?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

class Run {
  readonly #folder: string
  readonly #template: DatabaseTemplate | undefined
  readonly #running = new Set<ChildProcess>()
  #total = NOTHING
  #isSound = true
  #started = 0

  constructor(folder: string, template: DatabaseTemplate | undefined) {
    this.#folder = folder
    this.#template = template
  }

  async all(jobs: Job[], processes: number): Promise<boolean> {
    const beside = jobs.filter(({ isAlone, isWaiting }) => !isAlone && !isWaiting)
    const waiting = jobs.filter(({ isWaiting }) => isWaiting)
    const alone = jobs.filter(({ isAlone }) => isAlone)
    const stop = () => this.#stop(beside, waiting, alone)
    process.once('SIGINT', stop).once('SIGTERM', stop)
    const lanes = [waiting, ...Array.from({ length: processes }, () => beside)]
    await Promise.all(lanes.map((lane) => this.#takeTurns(lane)))
    await this.#takeTurns(alone)
    process.off('SIGINT', stop).off('SIGTERM', stop)
    console.log(`\n${slowestFiles(this.#total.costs)}\n\n${closingLine(this.#total)}`)
    return this.#isSound && this.#total.failed === 0
  }

  async #takeTurns(jobs: Job[]): Promise<void> {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      await this.#run(job)
    }
  }

  /** Shows what a job printed only when it has ended, and only where something failed. */
  async #run(job: Job): Promise<void> {
    const child = await this.#start(job)
    const printed: Buffer[] = []
    let result: JobResult | undefined
    child.on('message', (report: Partial<JobMessage>) => (result = report.jobResult ?? result))
    child.stdout!.on('data', (chunk) => printed.push(chunk))
    child.stderr!.on('data', (chunk) => printed.push(chunk))
    const since = performance.now()
    const limit = setTimeout(() => endHanging(child, job), JOB_MAX_MS)
    const [code] = await once(child, 'close')
    clearTimeout(limit)
    this.#running.delete(child)
    const took = ((performance.now() - since) / 1000).toFixed(1)
    this.#add(result ?? NOTHING)
    if (code !== 0 || result === undefined) {
      this.#isSound = false
      process.stdout.write(Buffer.concat(printed))
    }
    const outcome = closingLine(result ?? NOTHING) + (code === 0 ? '' : `, exit code ${code}`)
    console.log(`${took.padStart(6)} s  ${job.suite}: ${outcome} (${outline(job)})`)
  }

  async #start(job: Job): Promise<ChildProcess> {
    const folder = join(this.#folder, String(++this.#started))
    await mkdir(folder)
    const databaseUrl = needsDatabase([job.suite])
      ? await this.#template!.createTemplate()
      : undefined
    const child = fork(process.argv[1]!, {
      env: {
        ...process.env,
        ...environmentOf({ ...job, databaseUrl, folder, cluster: this.#template?.cluster }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#running.add(child)
    return child
  }

  #add({ passed, failed, skipped, costs }: JobResult): void {
    this.#total = {
      passed: this.#total.passed + passed,
      failed: this.#total.failed + failed,
      skipped: this.#total.skipped + skipped,
      costs: added(this.#total.costs, costs),
    }
  }

  #stop(...waiting: Job[][]): void {
    this.#isSound = false
    waiting.forEach((jobs) => (jobs.length = 0))
    for (const child of this.#running) {
      child.kill()
    }
  }
}

/** Also closes what it prints to, which its own processes may keep open. */
function endHanging(child: ChildProcess, job: Job): void {
  console.log(`Ended since it takes too long: ${job.suite} (${job.files.join(', ')})`)
  child.kill('SIGKILL')
  child.stdout!.destroy()
  child.stderr!.destroy()
}

function outline({ files }: Job): string {
  const [first, ...others] = files
  const name = first!.replace(/^tests\/[a-z]+\//, '').replace('.spec.ts', '')
  return others.length === 0 ? name : `${name} and ${others.length} more`
}
