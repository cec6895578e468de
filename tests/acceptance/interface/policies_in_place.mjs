/*
 * "--import" this file before the program: the policies of POLICIES are then in place, as those of a provider would be that
 * are told the attributes of what somebody wants to work on. Each is for one permission, and allows or denies it where the
 * attributes are as it says.
 */
import { pathToFileURL } from 'node:url'

const main = process.argv[1]
if (main.endsWith('.ts')) {
  await import('../../../bin/bootstrap/typescript.mjs')
}
const settings = await import(new URL('../config/auth.js', pathToFileURL(main)).href)
const policies = JSON.parse(process.env.POLICIES)

settings.default.permissionPolicy = (_actor, permission, attributes) =>
  policies
    .filter((policy) => policy.permission === permission)
    .every(({ effect, where }) => matches(where, attributes) === (effect === 'allow'))

function matches(where, attributes) {
  return Object.entries(where).every(([name, value]) => attributes[name] === value)
}
