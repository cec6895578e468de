import { join } from 'node:path'

import { pythonPackage } from '#tests/services/python_packages'

const VERSION = '4.32.5'

export async function schemathesis(): Promise<string> {
  return join(await pythonPackage('schemathesis', VERSION), 'schemathesis')
}
