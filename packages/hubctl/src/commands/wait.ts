import { setTimeout as pause } from 'node:timers/promises'

import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import type { Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { wholeNumber } from '#hubctl/options'
import { cellOf } from '#hubctl/output/cell'
import { hasAttribute, valueAt } from '#hubctl/output/value_at'
import type { Api } from '#hubctl/platform/api'
import { Problem, UsageProblem } from '#hubctl/problem'

interface WaitOptions {
  readonly for: string
  readonly timeout: number
}

/** Null if the record must be deleted. */
type Condition = { readonly key: string; readonly values: readonly string[] } | null

const POLL_INTERVAL_MS = 1_000
/** Statuses that do not change by themselves. */
const FINAL_STATUSES: readonly string[] = ['failed', 'stopped']

const HELP = `
Fails if a status is failed or stopped, unless that is the condition. Waits
while the hub is unavailable.

Examples:
  hubctl wait analysis trial --for buildStatus=executed
  hubctl wait node north --for online=true --timeout 60
  hubctl wait project study --for deleted`

export function waitCommand(): Command {
  return new Command('wait')
    .description('wait until a record meets a condition')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('<name>', 'its id or name')
    .requiredOption('--for <condition>', 'attribute=value, attribute=one,other, or deleted')
    .option('--timeout <seconds>', 'maximum time to wait', wholeNumber, 600)
    .addHelpText('after', HELP)
    .action(perform(wait))
}

async function wait(invocation: Invocation<WaitOptions>, kindName: string, idOrName: string) {
  const { options, output } = invocation
  const condition = parseCondition(options.for)
  const api = await invocation.api()
  const kind = await new Kinds(api).find(kindName)
  const deadline = Date.now() + options.timeout * 1000
  let id = idOrName
  for (;;) {
    const record = await readRecord(api, kind, id)
    if (typeof record === 'object') {
      id = record.id
    }
    if (record !== 'away' && isMet(condition, record, kind, idOrName)) {
      const message = `The ${kind.name} ${idOrName} meets the condition: ${options.for}`
      return output.done(message, record, kind.name)
    }
    if (Date.now() > deadline) {
      throw new Problem(
        EXIT.unreachable,
        `The ${kind.name} ${idOrName} did not meet the condition ${options.for} within ${options.timeout} s.`,
        [`See its state: hubctl describe ${kind.name} ${idOrName}`]
      )
    }
    await pause(POLL_INTERVAL_MS)
  }
}

function parseCondition(text: string): Condition {
  if (text === 'deleted') {
    return null
  }
  const separator = text.indexOf('=')
  if (separator < 1) {
    throw new UsageProblem(
      `"${text}" is not a condition.`,
      'Use attribute=value, or deleted: --for buildStatus=executed'
    )
  }
  return { key: text.slice(0, separator), values: text.slice(separator + 1).split(',') }
}

/** Resolves to undefined if the record does not exist. */
async function readRecord(
  api: Api,
  kind: Kind,
  id: string
): Promise<NamedRecord | undefined | 'away'> {
  try {
    return await findRecord(api, kind, id)
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.unreachable) {
      return 'away'
    }
    if (error instanceof Problem && error.exitCode === EXIT.notFound) {
      return undefined
    }
    throw error
  }
}

function isMet(
  condition: Condition,
  record: NamedRecord | undefined,
  kind: Kind,
  idOrName: string
): boolean {
  if (condition === null || record === undefined) {
    if (condition !== null) {
      throw new Problem(EXIT.notFound, `There is no ${kind.name} called "${idOrName}".`)
    }
    return record === undefined
  }
  const { key, values } = condition
  if (!hasAttribute(record, key)) {
    throw new UsageProblem(
      `A ${kind.name} has no attribute "${key}".`,
      `It has: ${Object.keys(record).join(', ')}`
    )
  }
  const value = valueAt(record, key)
  const text = value === null ? 'null' : String(value)
  if (values.includes(text)) {
    return true
  }
  if (/[sS]tatus$/.test(key) && FINAL_STATUSES.includes(text)) {
    throw new Problem(EXIT.refused, `${key} of the ${kind.name} ${idOrName} is ${cellOf(value)}.`)
  }
  return false
}
