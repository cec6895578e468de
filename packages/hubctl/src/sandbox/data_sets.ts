import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Random } from './random.js'

/** A hospital of the sandbox: how many patients it has, and how they differ. */
export interface Hospital {
  readonly name: string
  readonly seed: number
  readonly patients: number
  readonly meanAge: number
  /** Whether its laboratory measures creatinine. */
  readonly measuresCreatinine: boolean
}

const LONGEST_MONTHS = 48

/** Writes the three example data sets of a hospital: synthetic, and the same for the same seed. */
export async function writeDataSets(folder: string, hospital: Hospital): Promise<void> {
  const random = new Random(hospital.seed)
  await mkdir(folder, { recursive: true })
  const files = {
    'patients.csv': patients(hospital, random),
    'followup.csv': followUps(hospital, random),
    'laboratory.csv': laboratory(hospital, random),
  }
  for (const [name, rows] of Object.entries(files)) {
    await writeFile(join(folder, name), `${rows.map((row) => row.join(',')).join('\n')}\n`)
  }
}

type Row = readonly (string | number)[]

/** Older and heavier patients are readmitted more often. */
function patients({ patients: count, meanAge }: Hospital, random: Random): Row[] {
  const rows = Array.from({ length: count }, (_, index) => {
    const age = Math.round(clamp(random.normal(meanAge, 12), 18, 99))
    const bmi = rounded(clamp(random.normal(27, 5), 15, 50))
    const systolic = Math.round(clamp(random.normal(135, 18), 90, 220))
    const risk = 0.2 + 0.01 * (age - 60) + 0.02 * (bmi - 27)
    return [index + 1, age, bmi, systolic, random.next() < risk ? 1 : 0]
  })
  return [['patient', 'age', 'bmi', 'systolic', 'readmitted'], ...rows]
}

function followUps({ patients: count }: Hospital, random: Random): Row[] {
  const rows = Array.from({ length: count }, (_, index) => {
    const months = Math.floor(random.next() * LONGEST_MONTHS)
    return [index + 1, months, random.next() < 0.4 ? 1 : 0]
  })
  return [['patient', 'months', 'died'], ...rows]
}

function laboratory({ patients: count, measuresCreatinine }: Hospital, random: Random): Row[] {
  const rows = Array.from({ length: count }, (_, index) => {
    const sodium = rounded(random.normal(140, 3))
    const creatinine = rounded(clamp(random.normal(1, 0.3), 0.3, 5))
    return measuresCreatinine ? [index + 1, sodium, creatinine] : [index + 1, sodium]
  })
  const heading = ['patient', 'sodium', 'creatinine']
  return [measuresCreatinine ? heading : heading.slice(0, 2), ...rows]
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value))

const rounded = (value: number): number => Math.round(value * 10) / 10
