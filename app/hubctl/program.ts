import { Command, Option } from 'commander'

import { showStatus } from './status.js'
import { VERSION } from '#kernel/version'

const DEFAULT_URL = 'http://localhost:3000'

/**
 * The administrators' command line. It speaks HTTP only, so it works from any machine that reaches the platform.
 */
export function hubctl(): Command {
  const program = new Command('hubctl')
    .description('Look after an Analysis Hub from the command line')
    .version(VERSION)
    .addOption(
      new Option('--url <address>', 'where the platform answers')
        .env('PUBLIC_URL')
        .default(DEFAULT_URL)
    )
  program
    .command('status')
    .description('show whether each service answers, and its version')
    .action(async () => {
      const allAnswer = await showStatus(program.opts<{ url: string }>().url)
      process.exitCode = allAnswer ? 0 : 1
    })
  return program
}
