import type { Command } from './command.ts'

export const secretKeyCommands: Command[] = [
  {
    words: 'secret-key rotate',
    about:
      'Encrypt everything with a new key: a generated one in DATA_DIR, or SECRET_KEY instead of SECRET_KEY_OLD.',
    run: async (_, settings) => {
      const config = settings()
      const { rotateSecretKey } = await import('../server/process/rotate-secret-key.ts')
      return {
        rotated: await rotateSecretKey(config, (line) => process.stderr.write(`${line}\n`)),
        next: [
          config.secretKey === null
            ? 'Keep secret.key.old beside secret.key: what was signed before is recognized with it.'
            : 'Keep SECRET_KEY_OLD set: what was signed before is recognized with it.',
        ],
      }
    },
  },
]
