import type pg from 'pg'

import { DateTime } from 'luxon'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock } from '#kernel/clock'
import { concurrently } from '#records/transaction'
import { compareTable, type TableComparison } from './compare_table.js'
import { openFormer, type Addresses } from '#adopt/former/addresses'
import type { FormerDatabase } from '#adopt/former/former_database'
import { SkippedRows } from './skipped_rows.js'
import { checkObjects, type ObjectCheck } from './check_objects.js'
import { ProgressReporter } from './progress_reporter.js'
import { startRun, closeRun, endRun } from './runs.js'
import { settleBuckets, settleCore } from './settle.js'
import { brokenKeys } from './source_keys.js'
import { openTable, type Table } from './table.js'
import { transferTable, type TransferCounts } from './transfer_table.js'
import type { Service } from './transfer.js'
import { TRANSFERS } from '#adopt/transfers/transfers'

export interface AdoptionOptions {
  readonly addresses: Addresses
  readonly isDryRun: boolean
  /** Closes the run: the former platform is stopped. */
  readonly isLast: boolean
  /** Time zone of timestamps without one. */
  readonly zone: string
  readonly signal: AbortSignal
  readonly report: (text: string) => void
}

export interface TableReport extends TableComparison {
  readonly taken: number
  readonly updated: number
  readonly unmappedColumns: readonly string[]
  readonly missingColumns: readonly string[]
}

export interface AdoptionReport {
  readonly isDryRun: boolean
  /** Undefined if the run was interrupted. */
  readonly tables: readonly TableReport[] | undefined
  /** Undefined if storage is not migrated. */
  readonly objects: ObjectCheck | undefined
  readonly isClosed: boolean
}

interface OpenService {
  readonly service: Service
  readonly former: FormerDatabase
  readonly pool: pg.Pool
  readonly tables: readonly Table[]
}

/** Migrates an installation of the former platform, or what changed there since the last run. */
export class Adoption {
  readonly #options: AdoptionOptions
  readonly #now: string

  constructor(options: AdoptionOptions) {
    this.#options = options
    this.#now = DateTime.fromMillis(clock.now(), { zone: options.zone }).toFormat(
      'yyyy-MM-dd HH:mm:ss'
    )
  }

  async run(): Promise<AdoptionReport> {
    const { isDryRun, isLast } = this.#options
    const services: OpenService[] = []
    try {
      for (const service of SERVICES_IN_ORDER) {
        const address = this.#options.addresses[service]
        if (address !== undefined) {
          services.push(await this.#open(service, address))
        }
      }
      const counts = isDryRun
        ? new Map<string, TransferCounts>()
        : await this.#transferAll(services)
      const tables = counts && (await this.#compareAll(services, counts))
      const objects = tables && (await this.#checkObjects(services))
      const report = { isDryRun, tables, objects }
      const isClosed = isLast && !isDryRun && isWhole(report)
      if (isClosed) {
        await Promise.all(services.map(({ service, pool }) => closeRun(pool, service)))
      }
      return { ...report, isClosed }
    } finally {
      await Promise.all(services.map(({ former }) => former.close()))
    }
  }

  async #open(service: Service, address: string): Promise<OpenService> {
    const former = await openFormer(service, address)
    const pool = pools.for(databaseUrl(service))
    try {
      const tables: Table[] = []
      for (const transfer of TRANSFERS[service]) {
        tables.push(await openTable(transfer, former, pool, this.#options.zone))
      }
      return { service, former, pool, tables }
    } catch (error) {
      await former.close()
      throw error
    }
  }

  /** Runs the services concurrently. If one fails, the others stop at the next batch. */
  async #transferAll(
    services: readonly OpenService[]
  ): Promise<Map<string, TransferCounts> | undefined> {
    const counts = new Map<string, TransferCounts>()
    const finishedTables = new Map<Service, ReadonlySet<string>>()
    for (const { service, pool, tables } of services) {
      const transfers = tables.map(({ transfer }) => transfer)
      finishedTables.set(service, await startRun(pool, service, transfers))
    }
    const isFinished = await this.#forEachService(services, async (openService, signal) => {
      const { service, former, pool, tables } = openService
      for (const table of tables.filter(
        (one) => !finishedTables.get(service)!.has(one.transfer.table)
      )) {
        const progress = await this.#progress('taking', table, former)
        const count = await transferTable(table, { former, pool, signal, progress, now: this.#now })
        if (!count) {
          return false
        }
        counts.set(table.transfer.table, count)
      }
      return true
    })
    if (!isFinished) {
      return undefined
    }
    await this.#settle(services)
    for (const { service, pool } of services) {
      await endRun(pool, service)
    }
    return counts
  }

  /** Returns whether all services finished. */
  async #forEachService(
    services: readonly OpenService[],
    work: (openService: OpenService, signal: AbortSignal) => Promise<boolean>
  ): Promise<boolean> {
    const failing = new AbortController()
    const signal = AbortSignal.any([this.#options.signal, failing.signal])
    const results = await concurrently(
      ...services.map((openService) =>
        work(openService, signal).catch((error: unknown) => {
          failing.abort()
          throw error
        })
      )
    )
    return results.every(Boolean)
  }

  async #settle(services: readonly OpenService[]): Promise<void> {
    const poolOf = (wanted: Service) => services.find(({ service }) => service === wanted)?.pool
    const core = poolOf('core')
    const storage = poolOf('storage')
    if (core) {
      this.#options.report('core: updating counts and approvals')
      await settleCore(core)
    }
    if (core && storage) {
      await settleBuckets(core, storage)
    }
  }

  async #compareAll(
    services: readonly OpenService[],
    counts: ReadonlyMap<string, TransferCounts>
  ): Promise<TableReport[] | undefined> {
    const { isDryRun } = this.#options
    const reports = new Map<string, TableReport>()
    const isFinished = await this.#forEachService(
      services,
      async ({ former, pool, tables }, signal) => {
        const skippedRows = new SkippedRows(tables)
        for (const table of tables) {
          const progress = await this.#progress('comparing', table, former)
          const dryRun = isDryRun
            ? { broken: await brokenKeys(table, former), skippedRows }
            : undefined
          const options = { former, pool, signal, progress, now: this.#now, dryRun }
          const compared = await compareTable(table, options)
          if (!compared) {
            return false
          }
          const { taken, updated } = counts.get(table.transfer.table) ?? { taken: 0, updated: 0 }
          const { unmappedColumns, missingColumns } = table
          reports.set(table.transfer.table, {
            ...compared,
            taken,
            updated,
            unmappedColumns,
            missingColumns,
          })
        }
        return true
      }
    )
    const inOrder = services.flatMap(({ tables }) =>
      tables.map(({ transfer }) => reports.get(transfer.table)!)
    )
    return isFinished ? inOrder : undefined
  }

  async #checkObjects(services: readonly OpenService[]): Promise<ObjectCheck | undefined> {
    const { addresses, isDryRun } = this.#options
    const files = services
      .find(({ service }) => service === 'storage')
      ?.tables.find(({ transfer }) => transfer.table === 'bucket_files')
    return files && checkObjects({ address: addresses.storage!, table: files, isDryRun })
  }

  async #progress(
    verb: string,
    { transfer }: Table,
    former: FormerDatabase
  ): Promise<ProgressReporter> {
    const total = await former.count(transfer.table, transfer.where?.(this.#now))
    return new ProgressReporter(
      this.#options.report,
      `${transfer.service}: ${verb} ${transfer.table}`,
      total
    )
  }
}

const SERVICES_IN_ORDER = ['storage', 'core', 'telemetry', 'messenger'] as const

/** Whether every source record is here, or was taken and then changed here. */
export const hasAllRecords = ({ tables }: Pick<AdoptionReport, 'tables'>): boolean =>
  tables !== undefined && tables.every(({ findings }) => findings.length === 0)

/** Whether all records and files of the former platform are here. */
export const isWhole = (report: Omit<AdoptionReport, 'isClosed'>): boolean =>
  hasAllRecords(report) && (report.objects?.areComplete ?? true)
