import { readFileSync } from 'node:fs'

import { gzipLayer, type LayerDraft } from './layered_image.js'
import { longNamed, type TarEntry } from '#tests/helpers/core/master_images/tarball'

/** An image as an attacker writes it, and what has to become of it. */
export interface HostileImage {
  readonly title: string
  readonly config?: object
  readonly entries?: readonly TarEntry[]
  readonly layers?: () => readonly LayerDraft[]
  /** `rejected`: it is not unpacked. `refused`: no container starts. `harmless`: it runs, and gains nothing. */
  readonly becomes: 'rejected' | 'refused' | 'harmless'
}

/** Shows what a program can reach: processes, descriptors, devices, its folder. */
const LOOK = [
  'echo start',
  'ls /proc | grep -c "^[0-9]"',
  'pwd',
  'ls -l /proc/self/fd .',
  'cat /proc/self/fd/*/[0-9]*/cmdline ./[0-9]*/cmdline ../[0-9]*/cmdline',
  'id -u',
  'grep CapEff /proc/self/status',
  'find / -xdev -perm -4000',
  'echo end',
].join('; ')

const shell = { Entrypoint: ['/bin/sh', '-c', LOOK] }
const link = (name: string, target: string): TarEntry => ({ name, type: '2', link: target })
const MIB = 1024 ** 2

/** A busybox with a shell, to which each image adds something. */
export const baseEntries = (): TarEntry[] => [
  { name: 'bin/busybox', content: readFileSync('/bin/busybox'), mode: 0o4755 },
  ...['sh', 'ls', 'cat', 'grep', 'id', 'find'].map((name) => link(`bin/${name}`, 'busybox')),
]

const workingFolders: HostileImage[] = [
  { path: '/proc/self/fd/3', entries: [] },
  { path: '/proc/1/root', entries: [] },
  { path: '/sys/fs', entries: [] },
  { path: '/dev/fd/3', entries: [] },
  { path: '/work', entries: [link('work', '/proc/self/fd/3')] },
  { path: '/work', entries: [link('work', '../../../proc/self/fd/3')] },
  { path: '/a/b', entries: [link('a', 'c'), link('c', '/proc/self'), link('b', 'x')] },
  { path: '/a/fd/4', entries: [link('a', '/proc/self')] },
  { path: '/loop', entries: [link('loop', '/loop')] },
  { path: '/a/../../proc', entries: [] },
].map(({ path, entries }) => ({
  title: `a working folder ${path}${entries.length > 0 ? ` over ${entries.map(({ link: to }) => to).join(', ')}` : ''}`,
  config: { ...shell, WorkingDir: path },
  entries,
  becomes: 'rejected',
}))

const programs: HostileImage[] = [
  { words: ['/proc/self/exe'], entries: [] },
  { words: ['/proc/self/fd/3/self/exe'], entries: [] },
  { words: ['/run'], entries: [link('run', '/proc/self/exe')] },
  { words: ['./run'], entries: [link('run', 'proc/self/exe')] },
  { words: ['exe'], entries: [link('tools', '/proc/self')], path: '/tools:/proc/self' },
  { words: ['/dev/fd/3'], entries: [] },
  { words: [''], entries: [] },
  { words: ['/bin'], entries: [] },
  { words: ['/loop/x'], entries: [link('loop', '/loop')] },
].map(({ words, entries, path }) => ({
  title: `the program ${JSON.stringify(words[0])}${path === undefined ? '' : ` by ${path}`}`,
  config: { Entrypoint: words, ...(path !== undefined && { Env: [`PATH=${path}`] }) },
  entries,
  becomes: 'refused',
}))

const many = (count: number, name: (at: number) => string): LayerDraft =>
  gzipLayer(Array.from({ length: count }, (_, at) => longNamed(name(at))).flat())

const sizes: HostileImage[] = [
  {
    title: 'a thousand folders within each other',
    layers: () => [gzipLayer(longNamed(`${'d/'.repeat(1_000)}file`))],
    becomes: 'rejected',
  },
  {
    title: 'a thousand folders within each other by links',
    layers: () => [
      gzipLayer([
        link('a', 'd/'.repeat(200)),
        ...Array.from({ length: 5 }, (_, at) => link(`${'a/'.repeat(at + 1)}a`, 'd/'.repeat(200))),
        { name: `${'a/'.repeat(6)}file` },
      ]),
    ],
    becomes: 'rejected',
  },
  {
    title: 'folders that no entry states, hundreds for each file',
    layers: () => [many(200, (at) => `${at}/${'d/'.repeat(200)}file`)],
    becomes: 'rejected',
  },
  {
    title: 'more empty files than it may have',
    layers: () => [many(20_001, (at) => `f${at}`)],
    becomes: 'rejected',
  },
  {
    title: 'a bomb of zeros',
    layers: () => [gzipLayer([{ name: 'zeros', content: Buffer.alloc(40 * MIB) }])],
    becomes: 'rejected',
  },
  {
    title: 'a name that no file system takes',
    layers: () => [gzipLayer(longNamed('n'.repeat(300)))],
    becomes: 'rejected',
  },
]

/** What an image may hold and gets nothing by. */
const harmless: HostileImage[] = [
  { title: 'setuid programs', config: shell, becomes: 'harmless' },
  {
    title: 'devices and pipes',
    config: shell,
    entries: [
      { name: 'dev/disk', type: '4' },
      { name: 'disk', type: '4' },
      { name: 'memory', type: '3' },
      { name: 'pipe', type: '6' },
    ],
    becomes: 'harmless',
  },
  {
    title: 'links in the place of mounts',
    config: shell,
    entries: [
      link('proc', '/etc'),
      link('dev', '/proc'),
      link('tmp', '/proc/self/fd/3'),
      link('etc/hosts', '/proc/self/fd/3'),
      link('etc/resolv.conf', '/dev/null'),
    ],
    becomes: 'harmless',
  },
  {
    title: 'variables of a loader, and a user of its own',
    config: {
      ...shell,
      Env: ['LD_PRELOAD=/proc/self/fd/3', 'LD_LIBRARY_PATH=/proc', 'PATH=/bin', 'BASH_ENV=/proc'],
      User: '0:0',
      Volumes: { '/proc': {}, '/../..': {} },
    },
    becomes: 'harmless',
  },
]

export const HOSTILE_IMAGES: readonly HostileImage[] = [
  ...workingFolders,
  ...programs,
  ...sizes,
  ...harmless,
]
