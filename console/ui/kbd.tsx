import { Fragment } from 'react'
import { t } from '../words/t.ts'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)
export const MOD_ENTER = isApple ? '⌘↩' : 'Ctrl+Enter'

const NAMES: Record<string, string> = {
  mod: isApple ? '⌘' : t`Ctrl`,
  enter: isApple ? '↩' : 'Enter',
  escape: t`Esc`,
  arrowdown: '↓',
  arrowup: '↑',
  shift: isApple ? '⇧' : 'Shift',
  alt: isApple ? '⌥' : 'Alt',
  delete: t`Del`,
  backspace: '⌫',
}

const Kbd = ({ children }: { children: string }) => (
  <kbd className="kbd">{NAMES[children.toLowerCase()] ?? children.toUpperCase()}</kbd>
)

/** Keys in the command registry's notation: `mod+k`, `g i`. */
export const Keys = ({ keys }: { keys: string }) => (
  <span className="keys">
    {keys.split(' ').map((chord, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: keys of a sequence are identified by position
      <Fragment key={`${index}${chord}`}>
        {index > 0 && <span className="keys__then">{t`then`}</span>}
        {chord.split('+').map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Fragment>
    ))}
  </span>
)
