import { mkdir, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import type { Env } from '#configuration/variables'
import { BackupStore } from './backup_store.js'
import { BackupRefused } from './errors.js'

type BackupStoreSettings = Pick<
  Env,
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_ACCESS_KEY'
  | 'S3_SECRET_KEY'
  | 'S3_FORCE_PATH_STYLE'
  | 'BACKUP_S3_ENDPOINT'
  | 'BACKUP_S3_REGION'
  | 'BACKUP_S3_ACCESS_KEY'
  | 'BACKUP_S3_SECRET_KEY'
  | 'BACKUP_S3_FORCE_PATH_STYLE'
>

const S3 = /^s3:\/\/([^/]+)(?:\/(.*?))?\/*$/

/** The location from a command option. Throws with the expected option if it is missing. */
export function requireLocation(
  option: 'to' | 'from',
  location: string | undefined,
  others: readonly string[]
): string {
  if (location) {
    return location
  }
  const example = others[0] ?? '/srv/backup'
  throw new BackupRefused(
    `No location is given: use --${option}=${example}, a folder or s3://bucket/prefix`
  )
}

/** Opens a folder, or `s3://bucket/prefix` on the configured server. */
export async function openBackupStore(
  location: string,
  settings: BackupStoreSettings
): Promise<BackupStore> {
  const remote = S3.exec(location)
  if (remote) {
    return s3Store(remote[1]!, remote[2] ? `${remote[2]}/` : '', settings)
  }
  if (/^[a-z\d]+:\/\//i.test(location)) {
    throw new BackupRefused(
      `${location} is not a valid location: use a folder or s3://bucket/prefix`
    )
  }
  return folderStore(resolve(location))
}

/** Like `openBackupStore`, but creates the folder with private permissions. */
export async function createBackupStore(
  location: string,
  settings: BackupStoreSettings
): Promise<BackupStore> {
  const backupStore = await openBackupStore(location, settings)
  if (!S3.test(location)) {
    await mkdir(resolve(location), { recursive: true, mode: 0o700 })
    await requirePrivate(resolve(location))
  }
  return backupStore
}

function folderStore(folder: string): BackupStore {
  return new BackupStore(new FsObjectStore(folder), {
    of: (section) => ({ container: section, prefix: '' }),
    createsContainers: true,
  })
}

async function s3Store(
  bucket: string,
  prefix: string,
  env: BackupStoreSettings
): Promise<BackupStore> {
  const { makeS3Client } = await import('#storage/objects/s3/s3_client')
  const { S3ObjectStore } = await import('#storage/objects/s3/s3_object_store')
  return new BackupStore(new S3ObjectStore(makeS3Client(serverOf(env))), {
    of: (section) => ({ container: bucket, prefix: `${prefix}${section}/` }),
    createsContainers: false,
  })
}

function serverOf(env: BackupStoreSettings) {
  if (env.BACKUP_S3_ENDPOINT) {
    return {
      endpoint: env.BACKUP_S3_ENDPOINT,
      region: env.BACKUP_S3_REGION,
      accessKeyId: env.BACKUP_S3_ACCESS_KEY ?? '',
      secretAccessKey: env.BACKUP_S3_SECRET_KEY ?? '',
      forcePathStyle: env.BACKUP_S3_FORCE_PATH_STYLE,
    }
  }
  if (env.S3_ENDPOINT) {
    return {
      endpoint: env.S3_ENDPOINT,
      region: env.S3_REGION,
      accessKeyId: env.S3_ACCESS_KEY ?? '',
      secretAccessKey: env.S3_SECRET_KEY ?? '',
      forcePathStyle: env.S3_FORCE_PATH_STYLE,
    }
  }
  throw new BackupRefused(
    'There is no S3 server: set BACKUP_S3_ENDPOINT, BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY'
  )
}

async function requirePrivate(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & 0o077) !== 0) {
    throw new BackupRefused(
      `Other users can read ${folder}, and a backup contains sealed secrets and personal data: set its mode to 700`
    )
  }
}
