import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The commands of a page of the documentation, block by block. */
export function shellBlocks(page: string): Promise<string[]> {
  return blocks(page, 'sh')
}

/** The output of these commands that a page shows. */
export function outputBlocks(page: string): Promise<string[]> {
  return blocks(page, 'text')
}

async function blocks(page: string, language: string): Promise<string[]> {
  const file = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url))
  const text = await readFile(file, 'utf8')
  const pattern = new RegExp('^```' + language + '\\n([^]*?)^```$', 'gm')
  return [...text.matchAll(pattern)].map(([, block]) => block!)
}
