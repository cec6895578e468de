import Table from 'cli-table3'

import { hasAllRecords, isWhole, type AdoptionReport, type TableReport } from './adoption.js'
import type { Finding } from './findings.js'
import type { Outlook } from '#adopt/ahead/look_ahead'

const SHORT = 12

/** The final report: counts and checksums of both sides, and all differences. */
export function linesOf(report: AdoptionReport): string[] {
  const tables = report.tables ?? []
  const notes = [
    ...tables.flatMap(notesOn),
    ...report.storage.map((finding) => `core.analysis_buckets: ${describe(finding)}`),
  ]
  return [
    report.isDryRun ? dryRunTable(tables) : resultTable(tables),
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    ...(report.objects ? [report.objects.message] : []),
    ending(report),
  ]
}

function resultTable(tables: readonly TableReport[]): string {
  return tableOf(
    ['table', 'source', 'here', 'new', 'updated', 'removed', 'changed here', 'checksums'],
    tables.map((one) => [
      one.table,
      one.there,
      one.here,
      one.taken,
      one.updated + one.caughtUp,
      one.removed,
      one.changedHere,
      checksums(one),
    ])
  )
}

/** What the first hour will change. */
export function linesOfOutlook({ isOpen, tables, identityProblem }: Outlook): string[] {
  const named = tables.flatMap(({ table, findings }) =>
    findings.map((finding) => `${table}: ${describe(finding)}`)
  )
  return [
    ...named,
    ...(identityProblem === undefined
      ? []
      : [`Realms and users are not compared with the identity provider: ${identityProblem}`]),
    ...(isOpen
      ? [
          'An adoption is open: core and storage are not compared until it is closed with --last, which settles them, so that approvals stay.',
        ]
      : []),
    named.length === 0
      ? 'Nothing that is known here changes by itself in the first hour.'
      : 'What is named above changes in the first hour after the start of this hub.',
  ]
}

function dryRunTable(tables: readonly TableReport[]): string {
  return tableOf(
    ['table', 'source', 'here', 'to migrate', 'invalid'],
    tables.map((one) => [one.table, one.there, one.here, one.toCome, one.named])
  )
}

/** Rows that were added to the source during the run are here, but are not part of the checksum. */
function checksums({ checksums: { there, here }, caughtUp }: TableReport): string {
  if (there !== here && caughtUp > 0) {
    return 'changed during the run'
  }
  return there === here
    ? `equal ${there.slice(0, SHORT)}`
    : `${there.slice(0, SHORT)} ${here.slice(0, SHORT)}`
}

function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } })
  table.push(...rows.map((row) => row.map(String)))
  return table.toString()
}

function notesOn(table: TableReport): string[] {
  const of = `${table.service}.${table.table}`
  return [
    ...table.findings.map((finding) => `${of}: ${describe(finding)}`),
    ...table.removedAtSource.map((finding) => `${of}: removed in the source, ${describe(finding)}`),
    ...(table.unmappedColumns.length > 0
      ? [`${of}: not migrated, ${table.unmappedColumns.join(', ')}`]
      : []),
    ...(table.missingColumns.length > 0
      ? [`${of}: missing in the source, ${table.missingColumns.join(', ')}`]
      : []),
  ]
}

function describe({ problem, count, ids }: Finding): string {
  const more = count > ids.length ? ', …' : ''
  return `${problem} (${count}: ${ids.map(printable).join(', ')}${more})`
}

/** Removes control characters, since the values come from others. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60)

function ending(report: AdoptionReport): string {
  if (report.isDryRun) {
    return `Nothing was written. ${outlook(report)}`
  }
  if (!hasAllRecords(report)) {
    return 'The rows above are not here, or not as in the source. Correct them there or do what is said, and run the command again; nothing is swept until then.'
  }
  if (!isWhole(report)) {
    return 'All records are here, but some files are missing. Configure the store that contains them and run the command again; nothing is swept until then.'
  }
  if (report.obstacle !== undefined) {
    return report.obstacle
  }
  return report.isClosed
    ? 'The migration is complete and closed.'
    : 'All records and files are here. Stop the former platform, then run the command again with --last.'
}

function outlook(report: AdoptionReport): string {
  if (!hasAllRecords(report)) {
    return 'The rows above would be left out: correct them in the source and run the command again.'
  }
  return isWhole(report)
    ? 'All records and files are valid.'
    : 'All records are valid, but some files were not found: configure the store that contains them and run the command again.'
}
