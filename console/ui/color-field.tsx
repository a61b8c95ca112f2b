import { useId, useState } from 'react'
import { t } from '../words/t.ts'
import { TextField } from './field.tsx'

/** Distinguishable colors, each with a contrast of at least 3:1 on white and on the dark surface. */
export const PRESET_COLORS = [
  { name: t`Red`, value: '#d64545' },
  { name: t`Orange`, value: '#c9661b' },
  { name: t`Amber`, value: '#a07d0f' },
  { name: t`Green`, value: '#2f8f4e' },
  { name: t`Teal`, value: '#14857f' },
  { name: t`Blue`, value: '#2f73d9' },
  { name: t`Indigo`, value: '#6a63d8' },
  { name: t`Purple`, value: '#9a55c9' },
  { name: t`Pink`, value: '#c94f8a' },
  { name: t`Gray`, value: '#767a83' },
]

/** A color, picked from presets or entered as #rrggbb; in a form under `name`. */
export const ColorField = ({
  label,
  name,
  value,
  onPick,
}: {
  label: string
  name: string
  value: string
  onPick?: (color: string) => void
}) => {
  const [color, setOwn] = useState(value)
  const setColor = (picked: string) => {
    setOwn(picked)
    onPick?.(picked)
  }
  const group = useId()
  return (
    <fieldset className="stack stack--tight">
      <legend className="field__label">{label}</legend>
      <div className="swatches">
        {PRESET_COLORS.map((preset) => (
          <label key={preset.value} className="swatch" data-tip={preset.name}>
            <input
              type="radio"
              name={group}
              className="swatch__input"
              aria-label={preset.name}
              checked={color.toLowerCase() === preset.value}
              onChange={() => setColor(preset.value)}
            />
            <span className="swatch__disc" style={{ background: preset.value }} aria-hidden />
          </label>
        ))}
      </div>
      <TextField
        label={t`Custom color, e.g. #2f80ed`}
        name={name}
        value={color}
        maxLength={40}
        spellCheck={false}
        className="text-mono"
        onChange={(event) => setColor(event.target.value.trim())}
      />
    </fieldset>
  )
}
