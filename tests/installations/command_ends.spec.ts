import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { HubCommand } from '#tests/helpers/hub_command'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const COMMANDS = fileURLToPath(new URL('../../commands', import.meta.url))
/** A command has ten seconds; the rest is for a machine that is busy. */
const LIMIT_MS = 100_000
const AT_A_TIME = 4

interface Described {
  commandName: string
  options: { startApp?: boolean }
  args: { type: string; required?: boolean }[]
}

/** Additional required options of commands. */
const FLAGS: Record<string, string[]> = {
  'backup': ['--to=backup'],
  'restore': ['--from=backup'],
  'credentials:rotate': ['--older-than=1d'],
  'keys:rotate': ['--app'],
  'image:import': ['--as=python/base'],
  'migration:fresh': ['--force'],
  'migration:refresh': ['--force'],
  'migration:reset': ['--force'],
  'migration:rollback': ['--force'],
  'migration:run': ['--force'],
}

test.group('Every command of Ace', () => {
  test('a command ends on a signal, whatever it waits for', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const commands = await commandsOf(folder)
    assert.includeMembers(
      commands.map(({ commandName }) => commandName),
      await ownNames()
    )
    const deaf: Record<string, string> = {}
    await inPortions(commands, async ({ commandName, args }) => {
      const database = await SilentDatabase.start()
      const given = args.filter(({ required }) => required !== false).map(() => 'some')
      const command = await HubCommand.start(
        [commandName, ...given, ...(FLAGS[commandName] ?? [])],
        {
          folder,
          input: 'a long enough password\n',
          variables: {
            DATA_DIR: join(folder, '.data'),
            DATABASE_URL: database.url,
            FORMER_CORE_DATABASE_URL: database.url,
          },
        }
      )
      await Promise.race([database.answer, command.spoke, command.ended()])
      const tooLong = setTimeout(() => command.signal('SIGKILL'), LIMIT_MS)
      command.signal('SIGTERM')
      const { signal, output } = await command.ended()
      clearTimeout(tooLong)
      database.stop()
      if (signal === 'SIGKILL') {
        deaf[commandName] = output
      }
    })
    assert.deepEqual(deaf, {})
  }).timeout(1_200_000)
})

/** Those that work on an installation; the others write sources, or describe. */
async function commandsOf(folder: string): Promise<Described[]> {
  const list = await HubCommand.start(['list', '--json'], { folder, variables: {} })
  const all = JSON.parse((await list.ended()).output) as Described[]
  const own = await ownNames()
  return all
    .filter(({ commandName, options }) => options.startApp || own.includes(commandName))
    .filter(({ commandName }) => !commandName.startsWith('make:'))
}

async function ownNames(): Promise<string[]> {
  const files = await readdir(COMMANDS)
  return files.map((file) => file.replace('.ts', '').replace('_', ':'))
}

async function inPortions<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const workers = Array.from({ length: AT_A_TIME }, async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      await work(item)
    }
  })
  await Promise.all(workers)
}

/** A PostgreSQL that accepts all connections and queries, and never responds. */
class SilentDatabase {
  readonly #server = createServer((socket) => this.#welcome(socket))
  readonly #requested = Promise.withResolvers<void>()
  readonly #sockets = new Set<Socket>()

  static async start(): Promise<SilentDatabase> {
    const database = new SilentDatabase()
    await once(database.#server.listen(0, '127.0.0.1'), 'listening')
    return database
  }

  get url(): string {
    return `postgres://hub@127.0.0.1:${(this.#server.address() as AddressInfo).port}/hub`
  }

  /** Resolves with the first question. */
  get answer(): Promise<void> {
    return this.#requested.promise
  }

  stop(): void {
    this.#server.close()
    this.#sockets.forEach((socket) => socket.destroy())
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket.on('error', () => {}))
    socket.once('data', () => {
      // AuthenticationOk, ReadyForQuery
      socket.write(Buffer.from('5200000008000000005a0000000549', 'hex'))
      socket.once('data', () => this.#requested.resolve())
    })
  }
}
