import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** What a page of the documentation has a person type, block by block. */
export async function shellBlocks(page: string): Promise<string[]> {
  const file = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url))
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!)
}
