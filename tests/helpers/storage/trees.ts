import { randomBytes, randomInt } from 'node:crypto'

/** A tree of files by their paths; no path is a folder of another one. */
export type Tree = Map<string, Buffer>

const LARGEST_FILE = 1024 ** 2
const CONTENT = randomBytes(2 * LARGEST_FILE)

const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz0123456789',
  ' !#$%&\'()*+,-.:;<=>?@[]^_`{|}~"\\',
  'äöüßéñøłżąčşğıÅÆŒ',
  '名前ファイル数据分析데이터',
  '🧬🔬💉🩺👩‍🔬é̈',
]

/** Names of every kind, sizes from 0 to 1 MiB, most of them small. */
export function randomTree(): Tree {
  const tree: Tree = new Map()
  const folders = ['']
  for (let count = randomInt(0, 30); count > 0; count--) {
    const parent = folders[randomInt(folders.length)]!
    const path = parent + randomName()
    const isTaken = [...tree.keys(), ...folders].some(
      (other) => other === path || other === `${path}/`
    )
    if (isTaken || path.length > 500) {
      continue
    }
    if (randomInt(4) === 0) {
      folders.push(`${path}/`)
    } else {
      tree.set(path, randomContent())
    }
  }
  return tree
}

function randomName(): string {
  const letters = [...ALPHABETS[randomInt(ALPHABETS.length)]!]
  const most = randomInt(5) === 0 ? 120 : 20
  let name = ''
  for (let count = randomInt(1, most); count > 0; count--) {
    name += letters[randomInt(letters.length)]
  }
  while (Buffer.byteLength(name) > 255) {
    name = [...name].slice(0, -1).join('')
  }
  return name === '.' || name === '..' ? 'dots' : name
}

function randomContent(): Buffer {
  const size = randomInt(20) === 0 ? randomInt(LARGEST_FILE + 1) : randomSmallSize()
  const start = randomInt(LARGEST_FILE)
  return CONTENT.subarray(start, start + size)
}

function randomSmallSize(): number {
  return [0, 1, 511, 512, 513, 1024, randomInt(5_000)][randomInt(7)]!
}
