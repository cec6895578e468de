import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Command } from 'commander'
import { parse } from 'yaml'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import type { Body } from '#hubctl/kinds/body_values'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { propertiesOf, type Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { withDryRun } from '#hubctl/options'
import { yamlOf } from '#hubctl/output/yaml'
import { Problem } from '#hubctl/problem'
import { runSteps } from './run_steps.js'
import { differences, requireUpdatable, updateRecord } from './write_record.js'

export function editCommand(): Command {
  const command = new Command('edit')
    .description('change a record in your editor (VISUAL or EDITOR)')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('<name>', 'its id or name')
  return withDryRun(command).action(perform(edit))
}

async function edit(invocation: Invocation, kindName: string, idOrName: string): Promise<void> {
  const { output } = invocation
  const api = await invocation.api()
  const kind = await new Kinds(api).find(kindName)
  const record = await findRecord(api, kind, idOrName)
  const before = updatableAttributes(kind, record)
  const title = `${kind.name} ${idOrName}`
  await editAndUse(before, title, async (after) => {
    const changes = differences(before, after)
    if (Object.keys(changes).length === 0) {
      return output.note('Nothing was changed.')
    }
    const { id } = record
    const act = () => updateRecord(api, kind, { id, name: idOrName }, changes)
    await runSteps(output, [{ name: idOrName, act }], kind.name)
  })
}

/** The attributes of a record that can be updated. */
function updatableAttributes(kind: Kind, record: NamedRecord): Body {
  const names = Object.keys(propertiesOf(requireUpdatable(kind)))
  return Object.fromEntries(
    names.filter((name) => name in record).map((name) => [name, record[name]])
  )
}

/** Opens a body in the editor and uses the result. If that fails, the edited file stays. */
async function editAndUse(
  body: Body,
  title: string,
  use: (after: Body) => Promise<void>
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hubctl-'))
  const file = join(folder, 'record.yaml')
  const head = `# ${title}: edit, save, and close the editor.`
  await writeFile(file, `${head}\n${yamlOf(body)}\n`, { mode: 0o600 })
  const discard = () => rm(folder, { recursive: true, force: true })
  try {
    await runEditor(file)
  } catch (error) {
    await discard()
    throw error
  }
  try {
    await use(parseBody(await readFile(file, 'utf8')))
  } catch (error) {
    throw withFileHint(file, title, error)
  }
  await discard()
}

function withFileHint(file: string, title: string, error: unknown): unknown {
  return error instanceof Problem
    ? new Problem(error.exitCode, error.message, [
        ...error.advice,
        `Your changes are in ${file}. Correct them, then run: hubctl update ${title} -f ${file}`,
      ])
    : error
}

async function runEditor(file: string): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi'
  const [program = 'vi', ...flags] = editor.split(/\s+/)
  const child = spawn(program, [...flags, file], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    throw new Problem(
      EXIT.failed,
      `The editor "${editor}" exited with ${code}; nothing was changed.`
    )
  }
}

function parseBody(text: string): Body {
  try {
    return (parse(text) ?? {}) as Body
  } catch (error) {
    throw new Problem(EXIT.usage, `The saved file is not valid YAML: ${(error as Error).message}`)
  }
}
