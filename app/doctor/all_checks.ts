import type { Check } from './check.js'
import { adoptionCheck } from '#doctor/checks/adoption'
import { analysesCheck } from '#doctor/checks/analyses'
import { auditHeadsCheck } from '#doctor/checks/audit_heads'
import { brokerCheck } from '#doctor/checks/broker'
import { brokerHostsCheck } from '#doctor/checks/broker_hosts'
import { certificatesCheck } from '#doctor/checks/certificates'
import { clockCheck } from '#doctor/checks/clock'
import { cookiesCheck } from '#doctor/checks/cookies'
import { credentialsCheck } from '#doctor/checks/credentials'
import { databaseCheck } from '#doctor/checks/database'
import { databaseHostsCheck } from '#doctor/checks/database_hosts'
import { deadLettersCheck } from '#doctor/checks/dead_letters'
import { defaultSecretsCheck } from '#doctor/checks/default_secrets'
import { diskCheck } from '#doctor/checks/disk'
import { indexesCheck } from '#doctor/checks/indexes'
import { logStoreCheck } from '#doctor/checks/log_store'
import { migrationsCheck } from '#doctor/checks/migrations'
import { objectStoreCheck } from '#doctor/checks/object_store'
import { outboxCheck } from '#doctor/checks/outbox'
import { providerCheck } from '#doctor/checks/provider'
import { proxyCheck } from '#doctor/checks/proxy'
import { redisCheck } from '#doctor/checks/redis'
import { registriesCheck } from '#doctor/checks/registries'
import { secretFilesCheck } from '#doctor/checks/secret_files'
import { sentinelsCheck } from '#doctor/checks/sentinels'
import { surfacesCheck } from '#doctor/checks/surfaces'
import { switchesCheck } from '#doctor/checks/switches'

/** All checks, in the order of the report. */
export const ALL_CHECKS: readonly Check[] = [
  databaseCheck,
  databaseHostsCheck,
  migrationsCheck,
  indexesCheck,
  brokerCheck,
  brokerHostsCheck,
  deadLettersCheck,
  outboxCheck,
  redisCheck,
  sentinelsCheck,
  objectStoreCheck,
  diskCheck,
  providerCheck,
  logStoreCheck,
  auditHeadsCheck,
  registriesCheck,
  surfacesCheck,
  clockCheck,
  proxyCheck,
  cookiesCheck,
  certificatesCheck,
  defaultSecretsCheck,
  secretFilesCheck,
  credentialsCheck,
  switchesCheck,
  analysesCheck,
  adoptionCheck,
]
