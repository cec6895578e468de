import type pg from 'pg'

import { DateTime } from 'luxon'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { clock } from '#kernel/clock'
import { concurrently } from '#records/transaction'
import { compareTable, type TableComparison } from './compare_table.js'
import { openFormer, type Addresses } from '#adopt/former/addresses'
import type { FormerDatabase } from '#adopt/former/former_database'
import { AdoptionRefused } from './adoption_refused.js'
import { Findings, type Finding } from './findings.js'
import { removeDeleted } from './remove_deleted.js'
import { SkippedRows } from './skipped_rows.js'
import { checkObjects, type ObjectCheck } from './check_objects.js'
import { ProgressReporter } from './progress_reporter.js'
import { startRun, closeRun, endRun, isClosed, wasAdopted } from './runs.js'
import { settleBuckets, settleCore } from './settle.js'
import { idOf, SETTLED, settleStorage } from './settle_storage.js'
import { storageDifferences } from './storage_differences.js'
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
  /** What was removed in the source stays here after the last run. */
  readonly keepsDeleted?: boolean
  /** Continues although the adoption was closed. */
  readonly isReopening?: boolean
  /** Takes every row that the report names. */
  readonly record?: (table: string, problem: string, id: string) => void
  /** Time zone of timestamps without one. */
  readonly zone: string
  readonly signal: AbortSignal
  readonly report: (text: string) => void
}

export interface TableReport extends TableComparison {
  readonly taken: number
  readonly updated: number
  /** Rows that were deleted in the source, and here in this run. */
  readonly removed: number
  readonly unmappedColumns: readonly string[]
  readonly missingColumns: readonly string[]
}

export interface AdoptionReport {
  readonly isDryRun: boolean
  /** Undefined if the run was interrupted. */
  readonly tables: readonly TableReport[] | undefined
  /** Undefined if storage is not migrated. */
  readonly objects: ObjectCheck | undefined
  /** Where core and storage disagree: what was settled, or, in a dry run, would be. */
  readonly storage: readonly Finding[]
  /** Why the adoption cannot be closed although every record is here. */
  readonly obstacle: string | undefined
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
      await this.#requireOpen(services)
      const counts = isDryRun
        ? new Map<string, TransferCounts>()
        : await this.#transferAll(services)
      const tables = counts && (await this.#compareAll(services, counts))
      const removed = tables && (await this.#removeDeleted(services, tables))
      const objects = removed && (await this.#checkObjects(services))
      const storage = new Findings((problem, id) =>
        this.#record('core.analysis_buckets', problem, id)
      )
      const report = { isDryRun, tables: removed, objects, storage: [] }
      let obstacle: string | undefined
      if (isDryRun && removed) {
        await this.#nameDifferences(services, storage)
      } else if (isLast && isWhole(report)) {
        obstacle = await this.#settleStorage(services, storage)
      }
      const isFinished = isLast && !isDryRun && isWhole(report) && obstacle === undefined
      if (isFinished) {
        for (const { service, pool } of services) {
          await closeRun(pool, service)
        }
      }
      return { ...report, storage: storage.all, obstacle, isClosed: isFinished }
    } finally {
      await Promise.all(services.map(({ former }) => former.close()))
    }
  }

  /** What the last run does with rows that were removed in the source. */
  get #deletions(): 'remove' | 'keep' | undefined {
    const { isLast, isDryRun, keepsDeleted = false } = this.#options
    if (!isLast || isDryRun) {
      return undefined
    }
    return keepsDeleted ? 'keep' : 'remove'
  }

  #record(table: string, problem: string, id: string): void {
    this.#options.record?.(table, problem, id)
  }

  /** An installation that serves has newer rows than the former one. */
  async #requireOpen(services: readonly OpenService[]): Promise<void> {
    const { isDryRun, isReopening = false } = this.#options
    if (isDryRun || isReopening) {
      return
    }
    const closed: Service[] = []
    for (const { service, pool } of services) {
      if (await isClosed(pool, service)) {
        closed.push(service)
      }
    }
    if (closed.length > 0) {
      throw new AdoptionRefused(
        `The adoption of ${closed.join(', ')} is complete and closed, so nothing was changed: another run would take rows that this installation may have left behind. If you want that, pass --reopen`
      )
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
    const deletions = this.#deletions
    const reports = new Map<string, TableReport>()
    const isFinished = await this.#forEachService(
      services,
      async ({ service, former, pool, tables }, signal) => {
        const skippedRows = new SkippedRows(tables)
        for (const table of tables) {
          const progress = await this.#progress('comparing', table, former)
          const dryRun = isDryRun
            ? { broken: await brokenKeys(table, former), skippedRows }
            : undefined
          const compared = await compareTable(table, {
            ...{ former, pool, signal, progress, now: this.#now, dryRun, deletions },
            record: (problem, id) =>
              this.#record(`${service}.${table.transfer.table}`, problem, id),
          })
          if (!compared) {
            return false
          }
          const { taken, updated } = counts.get(table.transfer.table) ?? { taken: 0, updated: 0 }
          const { unmappedColumns, missingColumns } = table
          reports.set(table.transfer.table, {
            ...compared,
            taken,
            updated,
            removed: 0,
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

  /** Dependents first. Returns the tables with what was removed, and why the rest was not. */
  async #removeDeleted(
    services: readonly OpenService[],
    compared: readonly TableReport[]
  ): Promise<TableReport[] | undefined> {
    if (this.#deletions !== 'remove') {
      return [...compared]
    }
    const reports = new Map(compared.map((one) => [one.table, one]))
    const isFinished = await this.#forEachService(services, async (openService, signal) => {
      await this.#removeDeletedOf(openService, reports, signal)
      return !signal.aborted
    })
    const result = compared.map(({ table }) => reports.get(table)!)
    if (result.some(({ removed }) => removed > 0)) {
      await this.#settle(services)
    }
    return isFinished ? result : undefined
  }

  /** A source without any of the records may be another one: then nothing is removed. */
  async #removeDeletedOf(
    { service, pool, tables }: OpenService,
    reports: Map<string, TableReport>,
    signal: AbortSignal
  ): Promise<void> {
    const names = tables.map(({ transfer }) => transfer.table)
    const adopted = new Set(names)
    const isStrange = names.every((name) => reports.get(name)!.here === 0)
    for (const table of tables.toReversed()) {
      const report = reports.get(table.transfer.table)!
      const { removable } = report
      const findings = new Findings((problem, id) =>
        this.#record(`${service}.${report.table}`, problem, id)
      )
      const refuse = (problem: string, id: string) => findings.add(problem, id)
      if (isStrange) {
        removable.forEach((id) => refuse(OTHER_SOURCE, id))
      }
      const removed = isStrange
        ? 0
        : await removeDeleted(table, removable, { pool, signal, adopted, refuse })
      reports.set(report.table, {
        ...report,
        removed,
        findings: [...report.findings, ...findings.all],
      })
    }
  }

  /** The rows of core and storage in the source, which the last run would settle here. */
  async #nameDifferences(services: readonly OpenService[], storage: Findings): Promise<void> {
    const formerOf = (wanted: Service) => services.find(({ service }) => service === wanted)?.former
    const sides = { core: formerOf('core'), storage: formerOf('storage') }
    if (sides.core && sides.storage) {
      for await (const one of storageDifferences({ core: sides.core, storage: sides.storage })) {
        storage.add(SETTLED[one.problem], idOf(one))
      }
    }
  }

  async #settleStorage(
    services: readonly OpenService[],
    storage: Findings
  ): Promise<string | undefined> {
    const pool = (service: Service) => pools.for(databaseUrl(service))
    const concerns = services.some(({ service }) => service === 'core' || service === 'storage')
    const areAdopted =
      concerns &&
      (await wasAdopted(pool('core'), 'core')) &&
      (await wasAdopted(pool('storage'), 'storage'))
    if (!areAdopted) {
      return undefined
    }
    this.#options.report('core: comparing with storage')
    return settleStorage({ core: pool('core'), storage: pool('storage') }, (problem, id) =>
      storage.add(problem, id)
    )
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

const OTHER_SOURCE =
  'was removed in the source, as every other record: check that its address is that of the former platform'

const SERVICES_IN_ORDER = ['storage', 'core', 'telemetry', 'messenger'] as const

/** Whether every source record is here, or was copied and then changed here. */
export const hasAllRecords = ({ tables }: Pick<AdoptionReport, 'tables'>): boolean =>
  tables !== undefined && tables.every(({ findings }) => findings.length === 0)

/** Whether all records and files of the former platform are here. */
export const isWhole = (report: Pick<AdoptionReport, 'tables' | 'objects'>): boolean =>
  hasAllRecords(report) && (report.objects?.areComplete ?? true)
