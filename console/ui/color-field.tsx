import { useId, useState } from 'react'
import { TextField } from './field.tsx'

/** Distinguishable colors, each with a contrast of at least 3:1 on white and on the dark surface. */
export const PRESET_COLORS = [
  { name: 'Red', value: '#d64545' },
  { name: 'Orange', value: '#c9661b' },
  { name: 'Amber', value: '#a07d0f' },
  { name: 'Green', value: '#2f8f4e' },
  { name: 'Teal', value: '#14857f' },
  { name: 'Blue', value: '#2f73d9' },
  { name: 'Indigo', value: '#6a63d8' },
  { name: 'Purple', value: '#9a55c9' },
  { name: 'Pink', value: '#c94f8a' },
  { name: 'Gray', value: '#767a83' },
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
        label="Custom color, e.g. #2f80ed"
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
