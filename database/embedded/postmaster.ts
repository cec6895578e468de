import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { DataFolder } from './data_folder.js'
import { PostgresFailed } from './errors.js'
import type { Launcher } from './launcher.js'
import { LogFile } from './log_file.js'
import { readPidFile } from './pid_file.js'

/** Settings for one machine and few connections. Data safety stays at its defaults, all enabled. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
}

/** Crash recovery replays at most `max_wal_size`, which fits into this time even on a slow disk. */
const startLimit = 120_000

/** A running server process of a cluster. */
export class Postmaster {
  readonly port: number
  readonly log: LogFile
  /** Resolves with a description of how the process ended. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #folder: DataFolder
  readonly #logStart: number
  #running = true

  private constructor(
    child: ChildProcess,
    port: number,
    folder: DataFolder,
    log: LogFile,
    logStart: number
  ) {
    this.#child = child
    this.port = port
    this.#folder = folder
    this.log = log
    this.#logStart = logStart
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (status, signal) =>
        resolve(signal ? `ended by ${signal}` : `ended with status ${status}`)
      )
    })
    void this.ended.then(() => (this.#running = false))
  }

  static async launch(folder: DataFolder, port: number, launcher: Launcher): Promise<Postmaster> {
    const log = new LogFile(folder.log)
    await log.bound()
    const logStart = await log.size()
    const options = Object.entries({ ...settings, port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const child = log.append((descriptor) =>
      launcher.startServer(['-D', folder.cluster, ...options], descriptor)
    )
    await folder.own(folder.log)
    return new Postmaster(child, port, folder, log, logStart)
  }

  /** Resolves when the server accepts connections. Rejects with its last output if it ends before. */
  async ready(): Promise<void> {
    const deadline = Date.now() + startLimit
    while (this.#running && Date.now() < deadline) {
      const noted = await readPidFile(this.#folder.cluster)
      // The kernel stops the server if the hub ends without doing so.
      if (noted?.pid === this.#child.pid && noted?.ready) {
        return this.#child.unref()
      }
      await delay(5)
    }
    await this.stop()
    throw new PostgresFailed(
      'The embedded database did not start',
      await this.log.linesSince(this.#logStart)
    )
  }

  /** Stops the server with a fast shutdown: open transactions are rolled back, committed data is on disk. */
  async stop(): Promise<void> {
    this.#child.ref()
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (!this.#running) {
        return
      }
      this.#child.kill(signal)
      await Promise.race([this.ended, delay(10_000, undefined, { ref: false })])
    }
  }
}
