import {
  matchesValue,
  type LabelFilter,
  type LogFilter,
  type TimeFilter,
} from '#telemetry/logs/log_filter'
import { includesLine, NO_LINES, type Block, type Lines } from './block.js'
import { termOf, type Term } from './term.js'

/** What a filter finds in one block. */
interface Found {
  /** No fewer than there are. */
  readonly atMost: number
  has(line: number): boolean
  lines(): Lines
}

type Search = (block: Block) => Found

/** The search for what is meant, block by block. Of conditions that all have to hold, the rarest finds the lines to look at. */
export function searchFor(filter: LogFilter): (block: Block) => Lines {
  const terms = allTerms(filter)
  if (terms) {
    return (block) => withEvery(terms, block)
  }
  const search = compiled(filter)
  return (block) => search(block).lines()
}

/** The terms of a filter that names nothing but labels with one value each, which nearly all do. */
function allTerms(filter: LogFilter): Term[] | undefined {
  if (filter.kind === 'oneOf') {
    const [value] = filter.values
    return filter.values.length === 1 && value ? [termOf(filter.name, value)] : undefined
  }
  if (filter.kind !== 'and' || filter.filters.length === 0) {
    return undefined
  }
  const parts = filter.filters.map(allTerms)
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

/** What is in none of a block's lines is in none of most blocks', and is asked for first in the next one. */
function withEvery(terms: Term[], block: Block): Lines {
  let rarest: Lines | undefined
  const others: Lines[] = []
  for (const [index, term] of terms.entries()) {
    const lines = block.linesWith(term)
    if (lines.length === 0) {
      terms.splice(index, 1)
      terms.unshift(term)
      return NO_LINES
    }
    if (!rarest || lines.length < rarest.length) {
      if (rarest) {
        others.push(rarest)
      }
      rarest = lines
    } else {
      others.push(lines)
    }
  }
  return others.length === 0
    ? rarest!
    : filtered(rarest!, (line) =>
        others.every((lines) => lines.length === block.count || includesLine(lines, line))
      )
}

function compiled(filter: LogFilter): Search {
  switch (filter.kind) {
    case 'and':
      return all(filter.filters.map(compiled))
    case 'or':
      return any(filter.filters.map(compiled))
    case 'not':
      return none(compiled(filter.filter))
    case 'time':
      return during(filter)
    case 'oneOf':
      return filter.values.includes('') ? byValue(filter) : any(termsOf(filter).map(having))
    default:
      return byValue(filter)
  }
}

function termsOf({ name, values }: LabelFilter & { kind: 'oneOf' }): Term[] {
  return [...new Set(values)].map((value) => termOf(name, value))
}

function having(term: Term): Search {
  return (block) => withLines(block.linesWith(term))
}

function withLines(lines: Lines): Found {
  return {
    atMost: lines.length,
    has: (line) => includesLine(lines, line),
    lines: () => lines,
  }
}

/** What finds nothing in one block finds nothing in most, and is asked first in the next one. */
function all(given: readonly Search[]): Search {
  const searches = [...given]
  return (block) => {
    const found: Found[] = []
    for (const search of searches) {
      const one = search(block)
      if (one.atMost === 0) {
        searches.splice(found.length, 1)
        searches.unshift(search)
        return one
      }
      found.push(one)
    }
    const [rarest, ...others] = found.toSorted((one, other) => one.atMost - other.atMost)
    return {
      atMost: rarest?.atMost ?? block.count,
      has: (line) => found.every((one) => one.has(line)),
      lines: () => {
        const lines = rarest ? rarest.lines() : everyLine(block)
        return others.length === 0
          ? lines
          : filtered(lines, (line) => others.every((one) => one.has(line)))
      },
    }
  }
}

function any(searches: readonly Search[]): Search {
  const [only] = searches
  if (only && searches.length === 1) {
    return only
  }
  return (block) => {
    const found = searches.map((search) => search(block)).filter(({ atMost }) => atMost > 0)
    return {
      atMost: found.reduce((sum, { atMost }) => sum + atMost, 0),
      has: (line) => found.some((one) => one.has(line)),
      lines: () =>
        united(
          block,
          found.map((one) => one.lines())
        ),
    }
  }
}

function none(search: Search): Search {
  return (block) => {
    const found = search(block)
    return testing(block, (line) => !found.has(line))
  }
}

/** By looking at each value that the label has in the block. */
function byValue(filter: LabelFilter): Search {
  const meansAbsence = matchesValue(filter, '')
  return (block) => {
    const values = [...block.valuesOf(filter.name)]
    const meant = values.filter(([value]) => matchesValue(filter, value) !== meansAbsence)
    const lines = united(
      block,
      meant.map(([, with_]) => with_)
    )
    return meansAbsence ? testing(block, (line) => !includesLine(lines, line)) : withLines(lines)
  }
}

/** Lines have whole milliseconds, a filter may be finer. */
function during({ op, at }: TimeFilter): Search {
  const PER_MS = 1_000_000n
  const below = at / PER_MS - (at % PER_MS < 0n ? 1n : 0n)
  const above = below * PER_MS === at ? below : below + 1n
  const [floor, ceiling] = [Number(below), Number(above)]
  const tests = {
    '>=': (time: number) => time >= ceiling,
    '>': (time: number) => time > floor,
    '<=': (time: number) => time <= floor,
    '<': (time: number) => time < ceiling,
  }
  const isMeant = tests[op]
  return (block) => testing(block, (line) => isMeant(block.timeOf(line)))
}

function testing(block: Block, has: Found['has']): Found {
  return { atMost: block.count, has, lines: () => filtered(everyLine(block), has) }
}

function everyLine({ count }: Block): Lines {
  return Array.from({ length: count }, (_, line) => line)
}

function filtered(lines: Lines, isKept: (line: number) => boolean): Lines {
  const kept: number[] = []
  for (const line of lines) {
    if (isKept(line)) {
      kept.push(line)
    }
  }
  return kept
}

function united({ count }: Block, lists: readonly Lines[]): Lines {
  if (lists.length === 1) {
    return lists[0]!
  }
  const marks = new Uint8Array(count)
  for (const lines of lists) {
    for (const line of lines) {
      marks[line] = 1
    }
  }
  return filtered(everyLine({ count } as Block), (line) => marks[line] === 1)
}
