import {
  type Banner,
  type BannerCollection,
  type FormFactor,
  FormFactorSchema,
} from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { checkLanguages } from "../content/languages.ts";
import { checkAvailability } from "../content/window.ts";

/**
 * Checks a banner collection. INVALID_ARGUMENT `WINDOW_INVALID`, `LANGUAGE_INVALID`, `FIELD_REQUIRED` for an image
 * without a URL, or `FORM_FACTOR_DUPLICATE` for two images of a banner with the same form factor.
 */
export function checkBannerCollection(collection: BannerCollection, path: string): void {
  const { banners } = collection;
  checkAvailability(collection, path);
  for (const [index, banner] of banners.entries()) checkBanner(banner, `${path}.banners[${index}]`);
}

function checkBanner({ title, images }: Banner, path: string): void {
  checkLanguages(title, `${path}.title`);
  const formFactors = new Set<FormFactor>();
  for (const [index, { url, formFactor }] of images.entries()) {
    const image = `${path}.images[${index}]`;
    checkField(url !== "", `${image}.url`, "FIELD_REQUIRED", "is required");
    const name = FormFactorSchema.value[formFactor]?.name;
    const description = `${name} is already the form factor of another image of the banner`;
    const isNew = !formFactors.has(formFactor);
    checkField(isNew, `${image}.form_factor`, "FORM_FACTOR_DUPLICATE", description);
    formFactors.add(formFactor);
  }
}
