import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { Architecture } from './architectures.js'
import { ImageNotMade } from './image_not_made.js'

const run = promisify(execFile)

export const SUITE = 'trixie'
const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** An apt that knows nothing of this machine but how to reach the network, and keeps everything in a folder. */
export class Apt {
  readonly #folder: string
  readonly #args: readonly string[]

  private constructor(folder: string, options: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#args = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  }

  /** Fetches the lists of the release and of its updates, which apt verifies. */
  static async update(
    folder: string,
    { debian }: Architecture,
    mirror: string = MIRROR
  ): Promise<Apt> {
    const sources = join(folder, 'sources.list')
    const origin = `deb [signed-by=${KEYRING}]`
    const suites = [
      `${origin} ${mirror} ${SUITE} main`,
      `${origin} ${mirror} ${SUITE}-updates main`,
      `${origin} ${mirror.replace(/\/debian(?=\/|$)/, '/debian-security')} ${SUITE}-security main`,
    ]
    await mkdir(join(folder, 'state/lists/partial'), { recursive: true })
    await mkdir(join(folder, 'cache/archives/partial'), { recursive: true })
    await writeFile(sources, `${suites.join('\n')}\n`)
    const apt = new Apt(folder, {
      'Dir::Etc::sourcelist': sources,
      'Dir::Etc::sourceparts': '-',
      'Dir::State': join(folder, 'state'),
      'Dir::State::status': '/dev/null',
      'Dir::Cache': join(folder, 'cache'),
      'APT::Architecture': debian,
      'APT::Architectures': debian,
      'APT::Sandbox::User': 'root',
      // Otherwise apt continues without a list that it cannot fetch, such as that of the security updates.
      'APT::Update::Error-Mode': 'any',
      'Acquire::Languages': 'none',
      'Acquire::Retries': '3',
      'Acquire::Check-Valid-Until': 'false',
      'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    })
    await apt.#run('apt-get', 'update')
    return apt
  }

  /** Downloads the newest version of each package into the folder. */
  async download(names: readonly string[]): Promise<void> {
    await this.#run('apt-get', 'download', ...names)
  }

  /** What the control files of the newest versions say, one after the other. */
  show(names: readonly string[]): Promise<string> {
    return this.#run('apt-cache', 'show', '--no-all-versions', ...names)
  }

  async #run(program: string, ...command: string[]): Promise<string> {
    try {
      const { stdout } = await run(program, ['-qq', ...this.#args, ...command], {
        cwd: this.#folder,
      })
      return stdout
    } catch (error) {
      throw ImageNotMade.becauseOf(program, error)
    }
  }
}
