import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { BaseCommand } from '@adonisjs/core/ace'
import type { Command, Option } from 'commander'

import { hubctl } from '#hubctl/program'

import { code, table } from './tables.js'

const INTRODUCTION = `# Commands

Every command and option, generated from the commands themselves by \`npm run docs:generate\`.
[hubctl.md](hubctl.md) shows how to use \`hubctl\`.`

const ON_THE_MACHINE = `## On the machine: \`node ace\`

These commands run on a machine of the hub: they read its variables and use its database. Build
the checkout first. \`--help\` prints the same.`

const FROM_ANYWHERE = `## From anywhere: \`hubctl\`

\`hubctl\` speaks HTTP, and may do what your login may do. Every command takes these options:`

const FOLDER = fileURLToPath(new URL('../../commands', import.meta.url))

/** The page of all commands. */
export async function renderCommands(): Promise<string> {
  const program = hubctl()
  const sections = [
    INTRODUCTION,
    ON_THE_MACHINE,
    ...(await aceSections()),
    FROM_ANYWHERE,
    ...optionTable(program.options.map(optionRow)),
    ...leavesOf(program).map(hubctlSection),
  ]
  return `${sections.join('\n\n')}\n`
}

async function aceSections(): Promise<string[]> {
  const names = globSync('*.[jt]s', { cwd: FOLDER }).sort()
  const modules = await Promise.all(
    names.map((name) => import(`../../commands/${name.replace(/\.ts$/, '.js')}`))
  )
  return modules.map(({ default: command }) => aceSection(command))
}

function aceSection(command: typeof BaseCommand): string {
  const { commandName, description, help, args, flags } = command.serialize()
  const argumentRows = args.map(({ name, description: says = '', required }) => [
    code(required === false ? `[${name}]` : `<${name}>`),
    says,
  ])
  const options = flags.map(({ flagName, type, description: says = '' }) => [
    code(`--${flagName}${type === 'boolean' ? '' : '=<value>'}`),
    says,
  ])
  return [
    `### \`node ace ${commandName}\``,
    sentence(description),
    ...fenced([help ?? []].flat()),
    ...optionTable([...argumentRows, ...options]),
  ].join('\n\n')
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`

function fenced(lines: readonly string[]): string[] {
  return lines.join('').trim() === '' ? [] : [['```', ...lines, '```'].join('\n')]
}

function leavesOf(command: Command): Command[] {
  const below = command.commands.filter(({ _hidden: isHidden }: any) => !isHidden)
  return below.length === 0 ? [command] : below.flatMap(leavesOf)
}

function hubctlSection(command: Command): string {
  const argumentRows = command.registeredArguments.map((argument) => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    argument.description,
  ])
  const usage = command.usage().replace('[options]', '').trim()
  return [
    `### ${code([...pathOf(command), usage].join(' ').trim())}`,
    sentence(command.description()),
    ...optionTable([...argumentRows, ...command.options.map(optionRow)]),
  ].join('\n\n')
}

const optionRow = ({ flags, description }: Option): readonly string[] => [code(flags), description]

function optionTable(rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [table(['Takes', 'Means'], rows)]
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()]
}
