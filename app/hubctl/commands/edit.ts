import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { Command } from 'commander'
import { parse } from 'yaml'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import type { Body } from '#hubctl/kinds/body_values'
import { findRecord, type Found } from '#hubctl/kinds/find_record'
import { pathOf, type Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { changing } from '#hubctl/options'
import { yamlOf } from '#hubctl/output/yaml'
import { Problem } from '#hubctl/problem'
import { requireUpdatable } from './updatable.js'

export function editCommand(): Command {
  const command = new Command('edit')
    .description('change a record in your editor (VISUAL or EDITOR)')
    .argument('<kind>', 'a kind of record, as hubctl kinds shows them')
    .argument('<name>', 'its id or name')
  return changing(command).action(perform(edit))
}

async function edit(invocation: Invocation, kindName: string, idOrName: string): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const kind = await new Kinds(api).find(kindName)
  const record = await findRecord(api, kind, idOrName)
  const before = changeable(kind, record)
  const changes = changesOf(before, await edited(before, `${kind.name} ${idOrName}`))
  if (Object.keys(changes).length === 0) {
    return output.note('Nothing was changed.')
  }
  const changed = await api.change<{ data: Found }>(
    'POST',
    kind.service,
    pathOf(kind, record.id),
    changes
  )
  if (changed) {
    output.done(`The ${kind.name} ${idOrName} was changed`, changed.data, kind.name)
  }
}

/** What of a record a change may hold. */
function changeable(kind: Kind, record: Found): Body {
  const names = Object.keys((requireUpdatable(kind).properties ?? {}) as object)
  return Object.fromEntries(
    names.filter((name) => name in record).map((name) => [name, record[name]])
  )
}

function changesOf(before: Body, after: Body): Body {
  const changed = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(before[name], value)
  )
  return Object.fromEntries(changed)
}

async function edited(body: Body, title: string): Promise<Body> {
  const folder = await mkdtemp(join(tmpdir(), 'hubctl-'))
  try {
    const file = join(folder, 'record.yaml')
    await writeFile(
      file,
      `# ${title}: change what is to be changed, save, and leave the editor.\n${yamlOf(body)}\n`
    )
    await runEditor(file)
    return bodyIn(await readFile(file, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runEditor(file: string): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi'
  const [program = 'vi', ...flags] = editor.split(/\s+/)
  const child = spawn(program, [...flags, file], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    throw new Problem(
      EXIT.failed,
      `The editor "${editor}" ended with ${code}; nothing was changed.`
    )
  }
}

function bodyIn(text: string): Body {
  try {
    return (parse(text) ?? {}) as Body
  } catch (error) {
    throw new Problem(EXIT.usage, `What was saved is no YAML: ${(error as Error).message}`)
  }
}
