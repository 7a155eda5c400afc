import type {
  Banner,
  BannerCollection,
  FormFactor,
} from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { invalidField } from "./errors.ts";
import { checkLanguages } from "./languages.ts";
import { isHttpUrl, isSitePath } from "./links.ts";

/**
 * Checks the banners of a collection. INVALID_ARGUMENT `LANGUAGE_INVALID`, `LINK_INVALID`,
 * `FIELD_REQUIRED` for a picture without an address, `IMAGE_URL_INVALID`, or `FORM_FACTOR_DUPLICATE` for
 * two pictures of one banner for the same screens.
 */
export function checkBannerCollection({ banners }: BannerCollection, path: string): void {
  for (const [index, banner] of banners.entries()) checkBanner(banner, `${path}.banners[${index}]`);
}

function checkBanner({ title, link, images }: Banner, path: string): void {
  checkLanguages(title, `${path}.title`);
  if (link !== "" && !isHttpUrl(link) && !isSitePath(link)) {
    throw invalidField(
      `${path}.link`,
      "LINK_INVALID",
      "it is an absolute http or https URL, or a path of the site that begins with one '/'",
    );
  }
  const formFactors = new Set<FormFactor>();
  for (const [index, { url, formFactor }] of images.entries()) {
    checkImageUrl(url, `${path}.images[${index}].url`);
    if (formFactors.has(formFactor)) {
      throw invalidField(
        `${path}.images[${index}].form_factor`,
        "FORM_FACTOR_DUPLICATE",
        "another picture of the banner is for the same screens",
      );
    }
    formFactors.add(formFactor);
  }
}

function checkImageUrl(url: string, path: string): void {
  if (url === "") throw invalidField(path, "FIELD_REQUIRED", "it is required");
  if (!isHttpUrl(url)) {
    throw invalidField(path, "IMAGE_URL_INVALID", "it is an absolute http or https URL");
  }
}
