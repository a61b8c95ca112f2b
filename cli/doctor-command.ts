import type { Command } from './command.ts'

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

export const doctorCommand: Command = {
  words: 'doctor',
  about:
    'Check the settings and everything that Foyer needs, and say what to do. Ends with 1 if something fails.',
  flags: { json: { value: null } },
  run: async ({ flags }, settings) => {
    const { runDoctor } = await import('../server/process/doctor/doctor.ts')
    const findings = await runDoctor(settings)
    if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
    if (flags.json !== undefined) return { findings }
    for (const { check, status, message, next } of findings)
      process.stdout.write(
        `${MARKS[status]}  ${check}: ${message}${next && status !== 'ok' ? `\n      ${next}` : ''}\n`,
      )
    return undefined
  },
}
