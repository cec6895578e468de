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
import {
  createRecord,
  differences,
  nameOfBody,
  requireCreatable,
  updateRecord,
} from './write_record.js'

const HELP = `
A file holds one record, a list of records, or several documents separated by
---. Each needs the attribute kind, unless the command names it. A record is
found by its id, or by its name and its immutable references; records without a
name are found by the records they join. Attributes that the hub sets itself
are ignored, so that you can apply the output of hubctl get -o yaml.

Examples:
  hubctl apply -f study.yaml
  hubctl get nodes -o yaml | hubctl --context other apply node -f -`

export function applyCommand(): Command {
  const command = new Command('apply')
    .description('create or update records from a file')
    .argument('[kind]', 'their kind, if the records do not name it')
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
      'The record does not name its kind.',
      'Add the attribute kind, or name it: hubctl apply <kind> -f <file>'
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
    ? { message: `The ${kind.name} ${name ?? id} is unchanged`, record: existing }
    : updateRecord(api, kind, existing, changes)
}

/** The attributes that differ and can be updated. Attributes that the platform sets itself are ignored. */
function changesTo(kind: Kind, existing: NamedRecord, body: Body): Body {
  const [fixed, changeable] = [kind.create, kind.update].map(
    (schema) => new Set(Object.keys(propertiesOf(schema)))
  )
  const differing = Object.entries(differences(existing, body)).filter(
    ([key]) => fixed!.has(key) || changeable!.has(key) || !(key in existing)
  )
  const immutable = differing.find(([key]) => fixed!.has(key) && !changeable!.has(key))
  if (immutable) {
    throw new Problem(
      EXIT.refused,
      `${immutable[0]} of the ${kind.name} ${existing.name ?? existing.id} cannot be changed.`,
      ['Keep its current value, or delete the record and apply again.']
    )
  }
  return Object.fromEntries(differing)
}

/** Drops read-only attributes such as `createdAt`. */
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
