import { randomBytes } from 'node:crypto'
import {
  access,
  lchown,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  DataFolderBroken,
  DataFolderForeign,
  DataFolderInaccessible,
  DataFolderVersion,
} from './errors.js'

const ownEntries =
  /^(cluster|initializing-\w+|libraries|password|port|owner\.lock|postgres\.log(\.1)?)$/

/** The folder of an embedded PostgreSQL: the cluster and the files of the supervisor. */
export class DataFolder {
  readonly path: string
  readonly cluster: string
  readonly libraries: string
  readonly log: string
  readonly lock: string
  readonly passwordFile: string

  constructor(path: string) {
    this.path = resolve(path)
    this.cluster = join(this.path, 'cluster')
    this.libraries = join(this.path, 'libraries')
    this.log = join(this.path, 'postgres.log')
    this.lock = join(this.path, 'owner.lock')
    this.passwordFile = join(this.path, 'password')
  }

  /** Creates the folder if needed. Rejects one that belongs to another account or contains other files. */
  async prepare(): Promise<void> {
    const { uid, entries } = await this.#open()
    const user = process.getuid?.()
    if (user !== 0 && user !== uid) {
      throw new DataFolderInaccessible(this.path, `it belongs to user ${uid}`)
    }
    const foreign = entries.find((entry) => !ownEntries.test(entry))
    if (foreign && !(await this.hasCluster())) {
      throw new DataFolderForeign(this.path, foreign)
    }
  }

  /** Changes the owner of files created by root to that of the folder, who may start the hub without root next time. */
  async own(path: string): Promise<void> {
    if (process.getuid?.() !== 0) {
      return
    }
    const { uid, gid } = await stat(this.path)
    await lchown(path, uid, gid)
  }

  /** Whether there is a complete cluster; an interrupted first start leaves none. */
  async hasCluster(): Promise<boolean> {
    return stat(this.cluster).then(
      () => true,
      () => false
    )
  }

  /** Rejects a cluster of another PostgreSQL version. */
  async assertCluster(majorVersion: number): Promise<void> {
    try {
      const text = await readFile(join(this.cluster, 'PG_VERSION'), 'utf8')
      const found = text.trim()
      if (found !== String(majorVersion)) {
        throw new DataFolderVersion(this.path, found, majorVersion)
      }
      await access(join(this.cluster, 'global/pg_control'))
    } catch (error) {
      const { code, path } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') {
        throw error
      }
      throw new DataFolderBroken(this.path, `${path} is missing`, { cause: error })
    }
  }

  /** A temporary name for a new cluster, after those of interrupted starts were removed. */
  async draftCluster(): Promise<string> {
    const entries = await readdir(this.path)
    const drafts = entries.filter((entry) => entry.startsWith('initializing-'))
    await Promise.all(drafts.map((entry) => removeDraft(join(this.path, entry))))
    return join(this.path, `initializing-${randomBytes(6).toString('hex')}`)
  }

  /** Renames a complete temporary cluster, atomically and durably. */
  async completeCluster(draft: string): Promise<void> {
    await rename(draft, this.cluster)
    const folder = await open(this.path)
    await folder.sync().finally(() => folder.close())
  }

  /** The password of the database role; undefined before it exists. */
  async password(): Promise<string | undefined> {
    return this.#read('password')
  }

  async keepPassword(password: string): Promise<void> {
    await this.#write('password', password)
  }

  /** The port of the last start, so that URLs noted elsewhere stay valid. */
  async lastPort(): Promise<number | undefined> {
    return Number(await this.#read('port')) || undefined
  }

  async rememberPort(port: number): Promise<void> {
    await this.#write('port', String(port))
  }

  async #open(): Promise<{ uid: number; entries: string[] }> {
    try {
      await mkdir(dirname(this.path), { recursive: true })
      await mkdir(this.path, { mode: 0o700 }).catch(ignoreExisting)
      await access(this.path, constants.R_OK | constants.W_OK | constants.X_OK)
      const { uid } = await stat(this.path)
      return { uid, entries: await readdir(this.path) }
    } catch (error) {
      throw new DataFolderInaccessible(this.path, (error as Error).message, { cause: error })
    }
  }

  async #read(name: string): Promise<string | undefined> {
    const text = await readFile(join(this.path, name), 'utf8').catch((error) => {
      if (error.code === 'ENOENT') {
        return ''
      }
      throw new DataFolderInaccessible(this.path, error.message, { cause: error })
    })
    return text.trim() || undefined
  }

  async #write(name: string, text: string): Promise<void> {
    const file = join(this.path, name)
    await rm(file, { force: true })
    await writeFile(file, `${text}\n`, { mode: 0o600, flush: true, flag: 'wx' })
    await this.own(file)
  }
}

/** Retries, since programs of a killed start may still be writing. */
export async function removeDraft(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') {
    throw error
  }
}
