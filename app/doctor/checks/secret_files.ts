import { NOT_USED, type Check } from '#doctor/check'
import { finding } from '#doctor/finding'

/** Checks that production reads its secrets from files: other programs can read the environment of a process. */
export const secretFilesCheck: Check = {
  name: 'secret files',
  async run({ env, secretsInEnvironment }) {
    return env.NODE_ENV === 'production'
      ? secretsInEnvironment.map((name) => finding('SECRET_IN_ENVIRONMENT', name))
      : NOT_USED
  },
}
