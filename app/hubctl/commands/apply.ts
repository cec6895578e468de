import { isDeepStrictEqual } from 'node:util'

import { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { bodiesInFile, type Body } from '#hubctl/kinds/body_values'
import { findExisting } from '#hubctl/kinds/find_existing'
import type { NamedRecord } from '#hubctl/kinds/find_record'
import { propertiesOf, type Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { withReferences } from '#hubctl/kinds/references'
import { withDryRun } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'
import { readPage } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import { runSteps, type StepResult } from './run_steps.js'
import { updateRecord, createRecord, nameOfBody, requireCreatable } from './write_record.js'

const HELP = `
A file holds one record, a list of them, or several documents with --- between
them, each with the attribute kind where the command does not say it. A record
is found by its id, or by its name and what cannot be changed about it; records
without a name by the records they join. What the platform sets itself is passed
over, so that what hubctl get -o yaml shows can be applied.

Examples:
  hubctl apply -f study.yaml
  hubctl get nodes -o yaml | hubctl --context other apply node -f -`

export function applyCommand(): Command {
  const command = new Command('apply')
    .description('make records, or change those that are there, as a file says')
    .argument('[kind]', 'their kind, where they do not say it')
    .requiredOption('-f, --file <file>', 'records in JSON or YAML; - is standard input')
    .addHelpText('after', HELP)
  return withDryRun(command).action(perform(apply))
}

async function apply(
  invocation: Invocation<{ file: string }>,
  kindName: string | undefined
): Promise<ExitCode> {
  const { options, output } = invocation
  const api = await invocation.api()
  const kinds = new Kinds(api)
  const bodies = await bodiesInFile(options.file)
  const steps = bodies.map(({ kind, ...body }, index) => ({
    name: nameOfBody(body, index),
    act: async () => applyOne(api, kinds, await kindOf(kinds, kindName ?? kind), body),
  }))
  return runSteps(output, steps)
}

function kindOf(kinds: Kinds, name: unknown): Promise<Kind> {
  if (typeof name !== 'string') {
    throw new UsageProblem(
      'The record does not say of which kind it is.',
      'Give it the attribute kind, or say it: hubctl apply <kind> -f <file>'
    )
  }
  return kinds.find(name)
}

async function applyOne(
  api: Api,
  kinds: Kinds,
  kind: Kind,
  attributes: Body
): Promise<StepResult | undefined> {
  const schema = requireCreatable(kind)
  const all = { properties: { ...propertiesOf(schema), ...propertiesOf(kind.update) } }
  const body = await withReferences(api, kinds, all, attributes)
  const existing = await findExisting(api, kind, body)
  if (!existing) {
    return createRecord(api, kind, await withoutReadOnly(api, kind, body))
  }
  const changes = changesTo(kind, existing, body)
  const { id, name } = existing
  return Object.keys(changes).length === 0
    ? { message: `The ${kind.name} ${name ?? id} is so already`, record: existing }
    : updateRecord(api, kind, existing, changes)
}

/** What differs and can be changed. What the platform sets itself is not for the file to say. */
function changesTo(kind: Kind, existing: NamedRecord, body: Body): Body {
  const [fixed, changeable] = [kind.create, kind.update].map(
    (schema) => new Set(Object.keys(propertiesOf(schema)))
  )
  const differing = Object.entries(body).filter(
    ([key, value]) =>
      !isDeepStrictEqual(existing[key], value) &&
      (fixed!.has(key) || changeable!.has(key) || !(key in existing))
  )
  const immutable = differing.find(([key]) => fixed!.has(key) && !changeable!.has(key))
  if (immutable) {
    throw new Problem(
      EXIT.refused,
      `${immutable[0]} of the ${kind.name} ${existing.name ?? existing.id} cannot be changed.`,
      ['Leave it as it is there, or delete the record and apply again.']
    )
  }
  return Object.fromEntries(differing)
}

/** A body without what records show and nobody may say: such as `createdAt`. */
async function withoutReadOnly(api: Api, kind: Kind, body: Body): Promise<Body> {
  const { meta, data } = await readPage(api, kind.service, kind.path, { limit: 1 })
  const { fields, relations } = meta.schema ?? {}
  const shown = new Set([
    'id',
    ...(fields?.allowed ?? []),
    ...(fields?.default ?? Object.keys(data[0] ?? {})),
    ...(relations?.allowed ?? []),
  ])
  const writable = new Set(Object.keys(propertiesOf(kind.create)))
  return Object.fromEntries(
    Object.entries(body).filter(([key]) => writable.has(key) || !shown.has(key))
  )
}
