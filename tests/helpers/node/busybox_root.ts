import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of Debian's package busybox-static. */
const BUSYBOX = '/bin/busybox'

/** An unpacked image with a shell and what goes with it. */
export function busyboxRoot(path: string): string {
  for (const folder of ['bin', 'dev', 'etc', 'proc', 'tmp', 'opt/code']) {
    mkdirSync(join(path, folder), { recursive: true })
  }
  for (const file of ['etc/hosts', 'etc/resolv.conf']) {
    writeFileSync(join(path, file), '')
  }
  copyFileSync(BUSYBOX, join(path, 'bin/busybox'))
  const programs = execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' }).trim().split('\n')
  for (const program of programs.filter((name) => name !== 'busybox')) {
    symlinkSync('busybox', join(path, 'bin', program))
  }
  return path
}
