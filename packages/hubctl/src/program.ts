import completed from '@bomb.sh/tab/commander'
import { Command, type HelpConfiguration } from 'commander'

import { apiCommand } from '#hubctl/commands/api'
import { analysisCommand } from '#hubctl/commands/analysis'
import { applyCommand } from '#hubctl/commands/apply'
import { auditCommand } from '#hubctl/commands/audit'
import { bucketCommand } from '#hubctl/commands/bucket/bucket'
import { busCommand } from '#hubctl/commands/bus'
import { contextCommand } from '#hubctl/commands/context'
import { createCommand } from '#hubctl/commands/create'
import { doctorCommand } from '#hubctl/commands/doctor'
import { deleteCommand } from '#hubctl/commands/delete'
import { describeCommand } from '#hubctl/commands/describe'
import { editCommand } from '#hubctl/commands/edit'
import { explainCommand } from '#hubctl/commands/explain_kind'
import { eventsCommand } from '#hubctl/commands/events'
import { getCommand } from '#hubctl/commands/get'
import { clientCommand } from '#hubctl/commands/identity/client'
import { realmCommand } from '#hubctl/commands/identity/realm'
import { roleCommand } from '#hubctl/commands/identity/role'
import { userCommand } from '#hubctl/commands/identity/user'
import { imageCommand } from '#hubctl/commands/image'
import { kindsCommand } from '#hubctl/commands/kinds'
import { loginCommand } from '#hubctl/commands/login'
import { logoutCommand } from '#hubctl/commands/logout'
import { messagesCommand } from '#hubctl/commands/messages'
import { nodeCommand } from '#hubctl/commands/node'
import { projectCommand } from '#hubctl/commands/project'
import { registryCommand } from '#hubctl/commands/registry'
import { sandboxCommand } from '#hubctl/commands/sandbox/sandbox'
import { statusCommand } from '#hubctl/commands/status'
import { sweepCommand } from '#hubctl/commands/sweep'
import { traceCommand } from '#hubctl/commands/trace'
import { updateCommand } from '#hubctl/commands/update'
import { versionCommand } from '#hubctl/commands/version'
import { waitCommand } from '#hubctl/commands/wait'
import { whoamiCommand } from '#hubctl/commands/whoami'
import { widthOf } from '#hubctl/output/width'
import { prepareCompletion } from './completion.js'
import { globalOptions } from './options.js'
import { VERSION } from '#kernel/version'

const EXAMPLES = `
Examples:
  hubctl login --url https://hub.example.org --user admin
  hubctl get analyses --filter buildStatus=failed --sort=-updatedAt
  hubctl project pending
  hubctl analysis explain my-analysis

Every command and every exit code: docs/hubctl.md`

const GROUPS: Readonly<Record<string, readonly (() => Command)[]>> = {
  'Contexts and logins:': [loginCommand, logoutCommand, whoamiCommand, contextCommand],
  'Records of every kind:': [
    kindsCommand,
    explainCommand,
    getCommand,
    describeCommand,
    createCommand,
    applyCommand,
    updateCommand,
    editCommand,
    deleteCommand,
    waitCommand,
  ],
  'Projects, analyses, nodes:': [projectCommand, analysisCommand, nodeCommand],
  'Images and files:': [registryCommand, imageCommand, bucketCommand],
  'People and programs:': [userCommand, clientCommand, roleCommand, realmCommand],
  'A network on this machine:': [sandboxCommand],
  'The hub:': [
    statusCommand,
    versionCommand,
    apiCommand,
    traceCommand,
    eventsCommand,
    messagesCommand,
    auditCommand,
    busCommand,
    doctorCommand,
    sweepCommand,
  ],
}

/** The command line of administrators. It uses HTTP only, so it works from any machine that reaches the hub. */
export function hubctl(): Command {
  const program = globalOptions(new Command('hubctl'))
    .description('Manage an Analysis Hub from the command line')
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpText('after', EXAMPLES)
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    commands.forEach((make) => program.addCommand(make()))
  }
  configureAll(program)
  program.helpCommand('help [command]', 'show the help of a command')
  completed(program, { completionCommandName: 'completion' })
  program.commands
    .find((command) => command.name() === 'completion')!
    .description('print a script that completes commands, kinds and names in a shell')
  program.hook('preAction', (_, called) =>
    called.name() === 'complete' ? prepareCompletion(called.args) : undefined
  )
  return program
}

const HELP: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  subcommandTerm: termOf,
}

/** The overview shows no options, and on the first page no operands. */
function termOf(command: Command): string {
  const isFirstPage = command.parent?.parent === null
  const operands = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
  )
  return [command.name(), ...(isFirstPage ? [] : operands)].join(' ')
}

const WIDEST_HELP = 100
const USUAL_HELP = 80

/** Help is limited in width even in a pipe. */
function helpWidth(): number {
  return process.stdout.isTTY ? Math.min(widthOf(process.stdout), WIDEST_HELP) : USUAL_HELP
}

/** Configures a command and its subcommands alike: they throw instead of ending the process. */
function configureAll(command: Command): Command {
  command
    .exitOverride()
    .configureHelp({ ...HELP, helpWidth: helpWidth() })
    .helpOption('-h, --help', 'show its arguments and options')
    .configureOutput({
      outputError: (message, write) => write(message.replace(/^error:/, 'Error:')),
    })
    .showHelpAfterError('(see --help)')
    .helpCommand(false)
  command.commands.forEach(configureAll)
  return command
}
