// Words around numbers, in five languages: months, units of time, currencies and small numbers.
import { foldText } from '../../../../flow-engine/fold-text.ts'

const table = <T>(rows: readonly (readonly [string, T])[]): ReadonlyMap<string, T> =>
  new Map(
    rows.flatMap(([words, value]) =>
      words
        .split(' ')
        .map((word) => [foldText(word), value] as const)
        // What is left of a sign.
        .filter(([word]) => word !== ''),
    ),
  )

export const MONTHS = table([
  ['january jan januar jänner enero janvier janeiro', 1],
  ['february feb februar febrero fevrier fevereiro', 2],
  ['march mar märz marzo mars março', 3],
  ['april apr abril avril', 4],
  ['mayo maio', 5],
  ['june jun juni junio juin junho', 6],
  ['july jul juli julio juillet julho', 7],
  ['august aug agosto août', 8],
  ['september sept sep septiembre septembre setembro', 9],
  ['october oct oktober okt octubre octobre outubro', 10],
  ['november nov noviembre novembre novembro', 11],
  ['december dec dezember dez diciembre décembre dezembro', 12],
  // Also words of other meanings: only beside a day.
  ['may mai', 5],
])

/** In hours, or in months where there is no exact number of them. */
export const DURATIONS = table<{ hours: number } | { months: number }>([
  ['hour hours hrs stunde stunden std hora horas heure heures', { hours: 1 }],
  ['day days tag tage tagen día días jour jours dia dias', { hours: 24 }],
  ['week weeks woche wochen semana semanas semaine semaines', { hours: 168 }],
  ['month months monat monate monaten mes meses mois mês', { months: 1 }],
  ['year years jahr jahre jahren año años an ans ano anos', { months: 12 }],
])

export const PERCENT = new Set(['%', 'percent', 'prozent', 'pct'])

export const CURRENCIES = table([
  ['€ eur euro euros', 'eur'],
  ['$ usd dollar dollars dólares', 'usd'],
  ['£ gbp pound pounds', 'gbp'],
  ['chf franken fr', 'chf'],
  ['¥ jpy yen', 'jpy'],
  ['₹ inr rupees', 'inr'],
  ['zł pln zloty', 'pln'],
  ['₺ try lira', 'try'],
  ['brl reais real', 'brl'],
  ['sek nok dkk kr', 'kr'],
  ['₽ rub', 'rub'],
  ['cent cents ct', 'cent'],
])

/** Signs that foldText removes. */
export const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'eur'],
  ['$', 'usd'],
  ['£', 'gbp'],
  ['¥', 'jpy'],
  ['₹', 'inr'],
  ['₺', 'try'],
  ['₽', 'rub'],
])

/** Without one, which is also an article in most of them. */
export const NUMBER_WORDS = table([
  ['two zwei dos deux dois duas', 2],
  ['three drei tres trois três', 3],
  ['four vier cuatro quatre quatro', 4],
  ['five fünf cinco cinq', 5],
  ['six sechs seis', 6],
  ['seven sieben siete sept sete', 7],
  ['eight acht ocho huit oito', 8],
  ['nine neun nueve neuf nove', 9],
  ['ten zehn diez dix dez', 10],
  ['twelve zwölf doce douze doze', 12],
  ['fourteen vierzehn catorce quatorze', 14],
  ['fifteen fünfzehn quince quinze', 15],
  ['twenty zwanzig veinte vingt vinte', 20],
  ['thirty dreißig treinta trente trinta', 30],
  ['sixty sechzig sesenta soixante sessenta', 60],
  ['ninety neunzig noventa', 90],
  ['hundred hundert cien cent cem', 100],
])
