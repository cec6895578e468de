/*
 * Before `npm pack`: puts hubctl and the packages that it uses into dist/, compiled, so that what is packed depends on
 * nothing but the dependencies that package.json lists.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)
const dist = new URL('dist/', import.meta.url)
const packages = ['hubctl', 'client', 'oci', 'kernel', 'configuration']

execFileSync('npm', ['run', '--silent', 'build'], { cwd: fileURLToPath(root), stdio: 'inherit' })
rmSync(dist, { recursive: true, force: true })
for (const name of packages) {
  const source = fileURLToPath(new URL(`build/packages/${name}/src/`, root))
  const target = fileURLToPath(new URL(`packages/${name}/src/`, dist))
  mkdirSync(target, { recursive: true })
  cpSync(source, target, { recursive: true, filter: (file) => !file.endsWith('.map') })
}
const { version, type } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const imports = Object.fromEntries(
  packages.map((name) => [`#${name}/*`, `./packages/${name}/src/*.js`])
)
writeFileSync(new URL('package.json', dist), JSON.stringify({ version, type, imports }, null, 2))
