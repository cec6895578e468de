import Table from 'cli-table3'

import { hasAllRecords, isWhole, type AdoptionReport, type TableReport } from './adoption.js'
import type { Finding } from './findings.js'

const SHORT = 12

/** What is said in the end: counts and checksums of both sides, and by name what is not as it was there. */
export function linesOf(report: AdoptionReport): string[] {
  const tables = report.tables ?? []
  const named = tables.flatMap(namedIn)
  return [
    report.isDryRun ? dryTable(tables) : takenTable(tables),
    ...(named.length > 0 ? ['', ...named] : []),
    '',
    ...(report.objects ? [report.objects.said] : []),
    ending(report),
  ]
}

function takenTable(tables: readonly TableReport[]): string {
  return tableOf(
    ['table', 'there', 'here', 'new', 'changed', 'moved on', 'checksums'],
    tables.map((one) => [
      one.table,
      one.there,
      one.here,
      one.taken,
      one.followed,
      one.movedOn,
      checksums(one),
    ])
  )
}

function dryTable(tables: readonly TableReport[]): string {
  return tableOf(
    ['table', 'there', 'here', 'to come', 'would not fit'],
    tables.map((one) => [one.table, one.there, one.here, one.toCome, one.named])
  )
}

function checksums({ checksums: { there, here } }: TableReport): string {
  return there === here
    ? `equal ${there.slice(0, SHORT)}`
    : `${there.slice(0, SHORT)} ${here.slice(0, SHORT)}`
}

function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } })
  table.push(...rows.map((row) => row.map(String)))
  return table.toString()
}

function namedIn(table: TableReport): string[] {
  const of = `${table.service}.${table.table}`
  return [
    ...table.findings.map((finding) => `${of}: ${said(finding)}`),
    ...table.goneThere.map((finding) => `${of}: gone there since, ${said(finding)}`),
    ...(table.leftOut.length > 0 ? [`${of}: not taken, ${table.leftOut.join(', ')}`] : []),
    ...(table.lacking.length > 0 ? [`${of}: not there yet, ${table.lacking.join(', ')}`] : []),
  ]
}

function said({ problem, count, ids }: Finding): string {
  const more = count > ids.length ? ', …' : ''
  return `${problem} (${count}: ${ids.map(shown).join(', ')}${more})`
}

/** What others wrote must not steer the terminal. */
const shown = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60)

function ending(report: AdoptionReport): string {
  if (report.isDryRun) {
    return `Nothing was written. ${outlook(report)}`
  }
  if (!hasAllRecords(report)) {
    return 'What is named above is not here. Correct it there, and run this once more; nothing is swept until then.'
  }
  if (!isWhole(report)) {
    return 'All records are here, but not all contents of files. Name the store they are in, and run this once more; nothing is swept until then.'
  }
  return report.isClosed
    ? 'All of it is here, and nothing more is expected.'
    : 'All of it is here. Run this once more with --last when the former platform is stopped.'
}

function outlook(report: AdoptionReport): string {
  if (!hasAllRecords(report)) {
    return 'What is named above would be left out: correct it there, and look again.'
  }
  return isWhole(report)
    ? 'All of it would fit.'
    : 'All records would fit, but not all contents of files were found: name the store they are in, and look again.'
}
